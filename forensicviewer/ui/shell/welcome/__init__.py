"""What an empty window offers: what can be opened, and the places opened lately."""
