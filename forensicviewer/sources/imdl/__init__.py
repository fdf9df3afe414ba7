"""Image manipulation datasets as they lie on disk, lists of them, and predictions for them."""
