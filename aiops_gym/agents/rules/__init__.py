"""An agent with the rules of thumb of an on-call engineer, for recorded incidents: what patience and a list are worth.

It reads the prompt and what the tools print, and nothing else. What it knows of a system stands in a module of its
own here, as data: which measurements tell which reason.
"""

from __future__ import annotations

from aiops_gym.agents.base import Agent, Env
from aiops_gym.agents.rules.player import READ, SUMMARIES, Rules
from aiops_gym.envs.recorded import RecordedEnv
from aiops_gym.errors import ArgumentError

NEEDS = {"tools": "all"}
"""What the environments that it plays must be made with: it reads summaries."""


def make(env: Env, seed: int = 0) -> Agent:
    """Follows the rules; there is no chance in it.

    Raises:
        ArgumentError: the environment plays recorded incidents, and does not offer summaries.
    """
    plays = env.unwrapped
    if isinstance(plays, RecordedEnv) and not set(READ) <= set(plays.tools):
        raise ArgumentError(f"the agent 'rules' reads {' and '.join(READ)}: {SUMMARIES}")
    return Rules()
