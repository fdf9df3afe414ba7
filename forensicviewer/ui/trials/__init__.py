"""The panel of trials: table, filter, facets, submissions."""
