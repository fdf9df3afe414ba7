"""Grids of results: runs against datasets, with published figures beside them."""
