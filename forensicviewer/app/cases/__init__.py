"""Case files: a disputed trial with all its numbers need, written, opened and checked elsewhere."""
