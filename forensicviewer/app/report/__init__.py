"""What a scoring run writes: tables, pages, figures."""
