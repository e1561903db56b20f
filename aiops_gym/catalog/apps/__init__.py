"""Applications: one a file (or folder), each with an attribute `app`."""
