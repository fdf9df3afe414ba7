"""Verdicts, their log, their evidence and exports."""
