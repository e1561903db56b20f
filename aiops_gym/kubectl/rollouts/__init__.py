"""How a rollout goes: its status in kubectl's words, and its history."""
