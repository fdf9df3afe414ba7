"""Jobs, caches, processes and the files of the program itself."""
