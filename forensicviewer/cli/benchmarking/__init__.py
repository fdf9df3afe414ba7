"""Commands about whole datasets and runs: near-duplicates, grids of results."""
