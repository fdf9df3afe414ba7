"""Checks of an installation: it decodes, scores and draws what it should, without a network."""
