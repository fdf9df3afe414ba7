"""Everything open at once: opening, recognising, recent places, session files."""
