"""Whether references are right: what changed, how masks fit it, specks, holes, journals."""
