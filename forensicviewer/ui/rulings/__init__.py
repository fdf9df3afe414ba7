"""The window that shows what a ruling would do to every submission."""
