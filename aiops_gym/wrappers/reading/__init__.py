"""How the wrappers for learners read what was printed; the wrappers themselves are one folder up."""
