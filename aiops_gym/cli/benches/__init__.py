"""What `aiops-gym bench` measures, one subject a file: a function `measure` that returns what it found by name."""
