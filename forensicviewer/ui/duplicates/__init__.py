"""Near-duplicates among the probes: groups, a contact sheet, a heat map."""
