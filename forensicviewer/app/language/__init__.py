"""Texts, numbers and units in the user's language."""
