"""The provenance graph under review."""
