"""What an agent raises: its own error, with its own part of the traceback."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import dropwhile
from pathlib import Path
from types import FrameType

from aiops_gym.errors import AgentError, AiopsGymError, describe_typed_error
from aiops_gym.runs.episode import Episode
from aiops_gym.tools.clip import clip, utf8

BETWEEN = (
    "aiops_gym.agents.kinds",
    "aiops_gym.agents.waiting",
    "aiops_gym.runs.",
    "asyncio.",
    "concurrent.futures.",
)
"""Modules whose frames lie between a run and its agent."""

FRAMES = 30
"""Frames that are kept, the innermost ones."""


MESSAGE = 2_000
"""Characters of what an agent raises that are kept."""


@contextmanager
def blame_agent() -> Iterator[None]:
    """Where an agent has its turn: what it raises here is an AgentError that says what and where.

    Ctrl-C is nobody's error and goes through.
    """
    try:
        yield
    except AgentError:
        raise
    except (Exception, SystemExit) as error:  # Anybody's agent: a result like any other.
        inner = _inner(error)
        found, text = _own(inner), clip(utf8(describe_typed_error(inner)), MESSAGE)
        if found and not isinstance(inner, AiopsGymError):
            text = f"{text} ({_place(found)})"
        raise AgentError(text, utf8("".join(traceback.format_list(found[-FRAMES:])))) from error


@contextmanager
def note_blame(episode: Episode | None) -> Iterator[None]:
    """Where an agent has its turn in an episode: its first error is noted there and goes no further."""
    try:
        with blame_agent():
            yield
    except AgentError as error:
        if episode is not None and not episode.agent_error:
            episode.agent_error, episode.agent_traceback = str(error) or "gave up", error.frames


def _inner(error: BaseException) -> BaseException:
    """What went wrong in a group of tasks, where only one of them did."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _own(error: BaseException) -> traceback.StackSummary:
    """The agent's own part of a traceback; nothing where it was not even reached."""
    frames = dropwhile(_between, traceback.walk_tb(error.__traceback__))
    return traceback.StackSummary.extract(frames)


def _between(frame: tuple[FrameType, int]) -> bool:
    return str(frame[0].f_globals.get("__name__", "")).startswith(BETWEEN)


def _place(frames: traceback.StackSummary) -> str:
    """Where it was in the agent's file, however deep in a library it was raised."""
    last = [frame for frame in frames if frame.filename == frames[0].filename][-1]
    return f"{Path(last.filename).name}, line {last.lineno}, in {last.name}"
