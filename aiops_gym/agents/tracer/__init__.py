"""An agent that believes a measurement only where calls bear it out: for recorded incidents with decoys.

What deviates and why it hears from the rules of the agent `rules`. Then it asks whose calls were slow or failed by
their own doing, and knows who waits for whom: a suspect counts as far as the calls that would feel its failure say the
same at the same time.
"""

from __future__ import annotations

from aiops_gym.agents.base import Agent, Env
from aiops_gym.agents.rules import NEEDS
from aiops_gym.agents.rules import make as make_rules
from aiops_gym.agents.tracer.player import Tracer

__all__ = ["NEEDS", "make"]


def make(env: Env, seed: int = 0) -> Agent:
    """Follows measurements and calls; there is no chance in it.

    Raises:
        ArgumentError: the environment plays recorded incidents, and does not offer summaries.
    """
    make_rules(env, seed)
    return Tracer()
