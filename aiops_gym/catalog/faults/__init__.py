"""Faults: one a file, each with an attribute `fault`; the name of the file is its id."""
