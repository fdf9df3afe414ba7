"""Tables of text cells, and how rows of several are matched."""
