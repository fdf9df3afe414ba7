"""The panel of trials."""
