"""Claimed numbers: which settings give them, of all that somebody might have scored with."""
