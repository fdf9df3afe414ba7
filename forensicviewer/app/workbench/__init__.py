"""The state of the window and the trial it shows."""
