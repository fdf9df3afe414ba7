"""What the commands of the window do, menu by menu."""
