"""What the page of a folder knows of an episode: a line of its list."""

from __future__ import annotations

from dataclasses import dataclass

from aiops_gym.runs.episode import Episode
from aiops_gym.runs.view.page import describe_outcome
from aiops_gym.runs.view.story import number_of

HEALTHY = "noop"
"""Begins the ids of problems in which nothing is wrong, as AIOpsLab's do."""

SOLVED, FAILED, ERRORS = "solved", "failed", "errors"
"""Kinds of outcomes: full marks, a verdict without them or no more steps, and no verdict."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A line of the list.

    Attributes:
        address: of the episode's page, relative to the list, "" where there is none.
        outcome: as a class and in words.
        seconds: of the world.
        error: why there is no verdict; "" where there is one.
    """

    address: str
    problem: str
    agent: str
    task: str = ""
    outcome: tuple[str, str] = ("hurt", "no episode")
    success: bool = False
    reward: float = 0.0
    steps: int = 0
    seconds: float = 0.0
    seed: str = ""
    error: str = ""

    @property
    def kind(self) -> str:
        """Kind of the outcome."""
        if self.error or not self.address:
            return ERRORS
        return SOLVED if self.success else FAILED


def read_entry(episode: Episode, address: str) -> Entry:
    """The line of an episode."""
    return Entry(
        address=address,
        problem=episode.problem_id,
        agent=episode.agent,
        task=episode.task,
        outcome=describe_outcome(episode),
        success=episode.success,
        reward=number_of(episode.reward) or 0.0,
        steps=len(episode.steps) or sum(turn.get("role") == "assistant" for turn in episode.trace),
        seconds=max(0.0, episode.end_time - episode.start_time),
        seed="" if episode.seed is None else str(episode.seed),
        error=_error(episode),
    )


def _error(episode: Episode) -> str:
    """Why it has no verdict. An agent that raised after its submission has one."""
    if episode.infra_error:
        told = str(episode.steps[-1].get("observation", "")) if episode.steps else episode.prompt
        return told or "the environment broke"
    return "" if episode.terminated else str(episode.agent_error)
