"""Jobs, caches, processes and files of the program itself."""
