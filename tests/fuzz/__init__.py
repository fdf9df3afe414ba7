"""Feeds damaged and hostile files to the program through the doors of the window."""
