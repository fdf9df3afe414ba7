"""Bytes to domain objects and back: the only package that opens the user's files."""
