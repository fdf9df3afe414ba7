"""The panes of a trial."""
