"""The panel of suspects: references that may be wrong, with their evidence."""
