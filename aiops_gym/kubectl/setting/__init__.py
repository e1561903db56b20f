"""What `kubectl set` can set: one thing a file."""
