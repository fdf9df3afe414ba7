"""Lenses: what an image shows once a filter has brought out its traces."""
