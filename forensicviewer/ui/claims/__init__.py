"""The window that explains a claimed number."""
