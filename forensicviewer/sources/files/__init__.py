"""Paths, archives and limits: everything before a byte is decoded."""
