"""Look at, score and judge media-forensics results."""

__version__ = "0.1.0"
