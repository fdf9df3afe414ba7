"""Scores detection."""
