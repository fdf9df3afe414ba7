"""Processes that decode files: limited, locked in, replaced when they die."""
