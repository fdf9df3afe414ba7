"""Scores provenance graphs and filtering."""
