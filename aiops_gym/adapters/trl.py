"""Incidents for TRL: a class for `environment_factory`, whose public methods are the tools of a task.

    rows = Dataset.from_list(list_rows(seeds=64))
    GRPOTrainer(..., environment_factory=make_environment("detection"), train_dataset=rows)

TRL repeats each row for its group, and a row says problem and seed: the members of a group are forks of one start. What
failed on our side has the reward None, which TRL leaves out of the group; it is never 0. Nothing here imports TRL.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

from aiops_gym.ids import STEPS
from aiops_gym.sessions import Session, Sessions
from aiops_gym.tools import Tool, toolbox
from aiops_gym.tools.schemas import shorten_manual

TRAINERS = ("problem", "seed", "split")
"""Columns of a row that `reset` reads. TRL shows a model none of them."""


class Incident:
    """An environment that TRL makes once and resets often; `make_environment` adds the tools of a task."""

    _made: dict[str, Any]
    _sessions: Sessions
    _starts: dict[str, Session]
    _session: Session | None = None

    def reset(self, **row: Any) -> str:
        """Begin the episode of a row, and say what an agent is told; "" where the world did not start."""
        if self._session is not None:
            self._session.close()
        posed = {key: row[key] for key in TRAINERS if row.get(key) is not None}
        self._session = self._begin(posed)
        return self._session.agent.prompt

    def _begin(self, posed: dict[str, Any]) -> Session:
        """A fork of the start that the group has in common; the newest start is kept, as groups come one by one."""
        key = repr(posed)
        if key not in self._starts:
            for old in self._starts.values():
                old.close()
            self._starts.clear()
            self._starts[key] = self._sessions.create(**self._made, **posed)
        start = self._starts[key]
        return start if start.env is None else start.fork()[0]

    def get_reward(self) -> float | None:
        """What the episode is worth as it stands; None where we failed, and not the agent."""
        return None if self._session is None else self._session.score().reward


def make_environment(task: str, tools: str = "basic", steps: int = STEPS, **options: Any) -> type[Incident]:
    """A class for `environment_factory`, or for one of its names where a dataset has several tasks.

    Args:
        task: `detection`, ..., `openrca_bank`, ...
        tools: `basic` or `all`.
        steps: actions at most; after the last one, tools say that the episode is over.
        options: further arguments of the environment.

    >>> Detection = make_environment("detection")
    >>> incident = Detection()
    >>> incident.reset(problem="noop_detection_hotel_reservation-1", seed=3)[:12]
    'You are an e'
    >>> incident.submit(has_anomaly="No"), incident.get_reward()
    ('Your submission has been received. The episode is over.', 1.0)
    """
    made = {"task": task, "steps": steps, **({} if tools == "basic" else {"tools": tools}), **options}
    state = {"_made": made, "_starts": {}, "_sessions": Sessions(limit=1_000_000, idle=math.inf)}  # TRL says how many
    short = options.get("budget") is not None
    methods = {name: _make_method(tool, short) for name, tool in toolbox(task, tools).items()}
    name = "".join(part.capitalize() for part in task.split("_"))
    return type(name, (Incident,), {"__doc__": Incident.__doc__, **state, **methods})


def _make_method(tool: Tool, short: bool) -> Callable[..., str]:
    """A tool as a method with its signature and manual, from which TRL works out the schema."""
    manual = inspect.getdoc(tool.function) or ""
    about, *given = manual.partition("\n\nArgs:\n")

    def method(self: Incident, **arguments: Any) -> str:
        assert self._session is not None, "TRL resets before it plays"
        return self._session.agent.call(tool.name, **arguments).text

    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    method.__name__ = method.__qualname__ = tool.name
    method.__doc__ = "".join([shorten_manual(about), *given]) if short else manual
    method.__annotations__ = {**tool.types, "return": str}
    method.__signature__ = tool.signature.replace(  # type: ignore[attr-defined]
        parameters=[this, *tool.signature.parameters.values()], return_annotation=str
    )
    return method


def list_rows(
    problems: Sequence[str | None] = (None,), seeds: int = 1, split: str | None = None, first: int = 0
) -> list[dict[str, Any]]:
    """Rows of a data set: each problem with so many seeds; None draws one by each seed, of a split if given.

    What an agent is told is put behind the empty prompt when an episode begins.

    >>> list_rows(seeds=2, split="train")[1]
    {'prompt': [{'role': 'user', 'content': ''}], 'problem': None, 'seed': 1, 'split': 'train'}
    """
    return [
        {"prompt": [{"role": "user", "content": ""}], "problem": problem, "seed": seed, "split": split}
        for problem in problems
        for seed in range(first, first + seeds)
    ]
