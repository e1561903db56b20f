"""What several commands share: making an environment, and showing a turn to a person."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import gymnasium as gym
import typer

from aiops_gym import ids
from aiops_gym.agents.base import Env
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import TASKS
from aiops_gym.envs import render
from aiops_gym.errors import ArgumentError, unknown
from aiops_gym.openrca.problems import system_of

RECORDED = {f"openrca_{kwargs['domain']}": name for name, kwargs in ids.RECORDED.items()}
"""Task as the command line calls it -> environment."""


SPLIT = "Draw of all problems of train or of test, computed ones too; without it AIOpsLab's."
APP = "Draw a problem of this application."


def make_env(
    problem: str | None, task: str | None = None, split: str | None = None, app: str | None = None, **kwargs: Any
) -> Env:
    """The environment of a problem, or of a task whose problems are drawn; of detection where neither is given.

    Args:
        task: of a live incident, or `openrca_bank` and its siblings.
        split: that problems are drawn of, as `app`.

    Raises:
        ArgumentError: no such problem or task.
    """
    name = _recorded(problem, task)
    if name:
        kwargs.pop("evaluation", None)  # the official scorer is the only one
    else:
        name = _live(problem, task)
    if problem is not None and (split or app):
        raise ArgumentError(f"{problem} is one problem: --split and --app say which are drawn")
    if name.startswith("OpenRCA") and app:
        raise ArgumentError("recorded incidents have no --app")
    kwargs |= {key: value for key, value in (("split", split), ("app", app)) if value}
    with blame_arguments():
        try:
            env: Env = gym.make(f"aiops_gym/{name}-v0", problem=problem, disable_env_checker=True, **kwargs)
        except TypeError as error:
            raise ArgumentError(f"aiops_gym/{name}-v0 cannot be made with {kwargs}: {error}") from None
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


def _recorded(problem: str | None, task: str | None) -> str:
    """The environment of a recorded incident; "" for a live one."""
    if problem is None:
        return RECORDED.get((task or "").lower(), "")
    system = system_of(problem)
    return RECORDED[f"openrca_{system[0].name}"] if system else ""


def _live(problem: str | None, task: str | None) -> str:
    if problem is not None:
        found = registry.find_problem(problem).task
        if task is not None and task.lower() != found:
            raise ArgumentError(f"{problem} is a problem of {found}, not of {task}")
        task = found
    task = task or TASKS[0]
    if task.lower() not in TASKS:
        raise unknown("task", task, (*TASKS, *RECORDED))
    return task.capitalize()


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
