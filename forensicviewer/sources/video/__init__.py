"""Videos, their sound and their masks."""
