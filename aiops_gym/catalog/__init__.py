"""The content, as data: `apps/`, `faults/` and `problems/`, found by `registry`. Knows nothing of how it is run."""
