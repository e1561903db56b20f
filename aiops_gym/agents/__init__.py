"""Policies: each module has `make(env, seed)`, and its name is the agent's."""
