"""Images and masks, in every format."""
