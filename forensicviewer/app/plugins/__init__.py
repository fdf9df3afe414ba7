"""Parts that other packages add, beside the built-in ones."""
