"""The window with the results of a whole run."""
