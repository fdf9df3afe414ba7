"""Provenance graphs: how they compare, how they are laid out."""
