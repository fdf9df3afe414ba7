"""Settings, help, manual, command palette and keys."""
