"""What several commands share: making an environment, and showing a turn to a person."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import gymnasium as gym
import typer

from aiops_gym.agents.base import Env, read_needs
from aiops_gym.catalog.model import POSED
from aiops_gym.envs import render
from aiops_gym.envs.naming import ENVS, find_env
from aiops_gym.errors import ArgumentError

RECORDED = tuple(task for task in ENVS if task not in POSED)
"""Tasks over recorded telemetry."""


SPLIT = "Draw of all problems of train or of test, computed ones too; without it AIOpsLab's."
APP = "Draw a problem of this application."
TIER = "Draw of basic, standard or hard; without it of all but the hard ones."


def make_env(
    problem: str | None,
    task: str | None = None,
    split: str | None = None,
    app: str | None = None,
    agent: str | None = None,
    tier: str | None = None,
    **kwargs: Any,
) -> Env:
    """The environment of a problem, or of a task whose problems are drawn; of detection where neither is given.

    Args:
        task: of a live incident, or `openrca_bank` and its siblings.
        split: that problems are drawn of, as `app` and `tier`.
        agent: who will play; a live environment is made as it needs it, where nothing else is said.

    Raises:
        ArgumentError: no such problem or task.
    """
    name = find_env(problem, task)
    recorded = name in {ENVS[each] for each in RECORDED}
    if recorded:
        kwargs.pop("evaluation", None)  # the official scorer is the only one
    elif agent:
        kwargs = {**read_needs(agent), **kwargs}
    if problem is not None and (split or app or tier):
        raise ArgumentError(f"{problem} is one problem: --split, --app and --tier say which are drawn")
    if recorded and (app or tier):
        raise ArgumentError(f"recorded incidents have no --{'app' if app else 'tier'}")
    kwargs |= {key: value for key, value in (("split", split), ("app", app), ("tier", tier)) if value}
    with blame_arguments():
        try:
            env: Env = gym.make(name, problem=problem, disable_env_checker=True, **kwargs)
        except TypeError as error:
            raise ArgumentError(f"{name} cannot be made with {kwargs}: {error}") from None
    return env


def parse_env_arguments(text: str) -> dict[str, Any]:
    """Arguments of environments from JSON.

    >>> parse_env_arguments('{"tools": "all"}')
    {'tools': 'all'}
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"--env-kwargs is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise typer.BadParameter('--env-kwargs is a JSON object, such as {"noise": false}')
    return data


@contextmanager
def blame_arguments() -> Iterator[None]:
    """Where a number that makes no sense is one of the arguments, and so a mistake in these."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def show_json(data: Any) -> None:
    """Print for a program."""
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def shorten(text: str, lines: int) -> str:
    """The first and the last lines of a long text.

    >>> shorten("a\\nb\\nc\\nd\\ne", 3)
    'a\\nb\\n... (2 lines)\\ne'
    """
    found = text.rstrip().splitlines()
    if len(found) <= lines:
        return "\n".join(found)
    head = (2 * lines) // 3
    tail = lines - head
    return "\n".join([*found[:head], f"... ({len(found) - lines} lines)", *found[len(found) - tail :]])


def show_turn(action: str, observation: str, reward: float, over: bool, info: Mapping[str, Any], lines: int) -> None:
    """Print one turn, its output shortened."""
    call = action.strip().strip("`").strip()
    text = render.render_turn(shorten(call, lines), shorten(observation, lines), reward, over, info)
    show(text)


def show(text: str) -> None:
    """Print a line; its colours only where a person reads it."""
    render.show(text if sys.stdout.isatty() else render.strip_colours(text))
