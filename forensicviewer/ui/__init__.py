"""The window: shows state and sends commands."""
