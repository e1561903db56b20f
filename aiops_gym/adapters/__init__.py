"""Ways out to other frameworks, over the public names of the rooms below."""
