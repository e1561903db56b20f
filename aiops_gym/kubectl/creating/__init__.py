"""What `kubectl create` can make from flags: one thing a file."""
