"""An agent that works as the books of Kubernetes and Prometheus teach it: signals, then objects, then the two compared.

It knows nothing of this project's faults. Each rule stands in `books` under the page it comes from.
"""

from __future__ import annotations

from aiops_gym.agents.base import Agent, Env
from aiops_gym.agents.oncall.player import Oncall

NEEDS = {"tools": "all"}
"""What the environments that it plays are made with: it asks Prometheus and reads alerts."""


def make(env: Env, seed: int = 0) -> Agent:
    """Follows the books; there is no chance in it."""
    return Oncall()
