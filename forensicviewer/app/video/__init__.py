"""The video under review."""
