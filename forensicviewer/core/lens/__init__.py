"""Lenses: filters that reveal traces of editing."""
