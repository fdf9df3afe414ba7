"""Dialogs, palette and manual."""
