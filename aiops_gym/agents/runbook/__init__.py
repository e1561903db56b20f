"""An agent with an on-call engineer's runbook for live incidents: it shows how far rules carry, and where they end.

It reads the prompt and what the tools print, and nothing else; names of components are read, not known. Each symptom
that it recognises is a module of its folder `symptoms`.
"""

from __future__ import annotations

from aiops_gym.agents.base import Agent, Env
from aiops_gym.agents.runbook.player import Runbook


def make(env: Env, seed: int = 0) -> Agent:
    """Follows the rules; there is no chance in it."""
    return Runbook()
