"""Checks references: empty, inverted, moved, of another trial, unlike their journal."""
