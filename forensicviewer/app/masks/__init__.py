"""Scores masks of images and videos."""
