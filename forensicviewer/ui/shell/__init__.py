"""The main window, its start and its end."""
