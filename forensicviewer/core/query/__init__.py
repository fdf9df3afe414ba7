"""NIST's query language."""
