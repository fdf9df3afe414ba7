"""The page of provenance trials."""
