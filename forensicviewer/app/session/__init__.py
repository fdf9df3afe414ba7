"""Everything open at once, and the files it is kept in."""
