"""The panel of verdicts."""
