"""Scores and reports what systems say about AI-generated images."""
