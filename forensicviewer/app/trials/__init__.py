"""The list of trials: rows, columns, filter, scores."""
