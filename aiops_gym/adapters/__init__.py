"""Doors to other frameworks: each is a session, or an episode, in that framework's shape."""
