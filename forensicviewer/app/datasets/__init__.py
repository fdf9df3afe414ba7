"""Datasets and submissions, opened and checked."""
