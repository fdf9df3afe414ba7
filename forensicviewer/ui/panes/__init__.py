"""The panes of a trial: layers, zoom, comparing, pixel values."""
