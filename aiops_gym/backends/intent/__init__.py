"""Whether a repair did what it was about and nothing else: the cluster before an incident against the one now."""

from aiops_gym.backends.intent.compare import Difference, compare

__all__ = ["Difference", "compare"]
