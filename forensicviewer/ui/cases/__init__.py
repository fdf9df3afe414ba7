"""The windows of case files: what goes into one, and what checking one found."""
