"""One host or container: its files, processes, network seat and executables, and the shell of its scripts."""
