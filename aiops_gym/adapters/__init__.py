"""Doors to other frameworks, one a file: each is a session in that framework's shape."""
