"""Decodes files in processes of their own, which have limits and a lock and may die."""
