"""Images and masks."""
