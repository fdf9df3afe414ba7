"""Verdicts, their log and their exports."""
