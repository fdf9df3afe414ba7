"""Scores temporal localisation: frames and samples."""
