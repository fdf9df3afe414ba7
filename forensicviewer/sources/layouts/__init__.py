"""Recognises dataset directories and turns them into tasks."""
