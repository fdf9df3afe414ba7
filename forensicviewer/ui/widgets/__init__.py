"""Parts every page and panel is made of."""
