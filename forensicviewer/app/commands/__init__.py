"""Every command with its menu and keys, and the manual."""
