"""What a user can do: state, jobs, caches and use cases, without a window."""
