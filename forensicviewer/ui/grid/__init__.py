"""The grid of results: runs against datasets, own and published."""
