"""The results of a whole run: every scorer's averages, by query and partition, with counts."""
