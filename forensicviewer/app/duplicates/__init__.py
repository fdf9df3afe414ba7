"""Finds near-duplicates among probes: groups, which to keep, splits without leakage."""
