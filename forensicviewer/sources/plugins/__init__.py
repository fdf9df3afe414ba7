"""Parts that other packages add: found by their entry points, checked, listed."""
