"""One module a kind, or a small group of kinds; its `KINDS` are found by scanning this folder."""
