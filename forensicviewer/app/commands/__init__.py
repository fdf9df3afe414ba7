"""Everything a user can do, and the manual about it."""
