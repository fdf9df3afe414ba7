"""The panel of images and masks: every definition of a score, of the image and of the run."""
