"""A Redis server: its settings, its keys, its commands, and the shell that talks to it."""
