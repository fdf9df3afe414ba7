"""Scores temporal localisation."""
