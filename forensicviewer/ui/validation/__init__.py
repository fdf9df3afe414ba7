"""The window that checks a submission and lists what is wrong with it."""
