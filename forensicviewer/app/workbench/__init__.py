"""The one state of the window and the trial on it."""
