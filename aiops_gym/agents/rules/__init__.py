"""An agent with the rules of thumb of an on-call engineer, for recorded incidents: what patience and a list are worth.

It reads the prompt and what the tools print, and nothing else. What it knows of a system stands in a module of its
own here, as data: which measurements tell which reason.
"""

from __future__ import annotations

from aiops_gym.agents.base import Agent, Env
from aiops_gym.agents.rules.player import Rules

NEEDS = {"tools": "all"}
"""What the environments that it plays must be made with: it reads summaries."""


def make(env: Env, seed: int = 0) -> Agent:
    """Follows the rules; there is no chance in it."""
    return Rules()
