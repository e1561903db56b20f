"""What an evaluation is asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from aiops_gym.agents import base
from aiops_gym.catalog.model import POSED, TIERS
from aiops_gym.envs.naming import ENVS
from aiops_gym.errors import ArgumentError, make_hint, unknown
from aiops_gym.runs import tokenizer
from aiops_gym.version import __version__

SPLITS = ("train", "test")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What an evaluation was asked for.

    Attributes:
        agents: names, or `module:function`.
        tasks: `detection` ..., `openrca_bank` ...; none where `problems` says which.
        splits: `train`, `test`, or none for the fixed problems.
        seeds: how many episodes of each problem, with the seeds 0, 1, ...
        tier: how hard the problems are, "" for all but the hard ones.
        sample: of each split at most so many problems, or below 1 a share of them; chosen by the hash of their ids,
            each alike; 0 for all.
        problems: ids; without them all of the tasks.
        env_kwargs: for every environment, JSON data.
        agent_options: for every agent that takes them, JSON data without secrets.
        tokenizer: `module:function` that counts tokens, "" for the estimate.
        judge: model that judges the reasoning, "" for none.
        version: of the package that plays.
    """

    agents: tuple[str, ...]
    tasks: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    tier: str = ""
    seeds: int = 1
    sample: float = 0
    app: str | None = None
    problems: tuple[str, ...] = ()
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    agent_options: Mapping[str, Any] = field(default_factory=dict)
    tokenizer: str = ""
    judge: str = ""
    version: str = __version__


def check(arguments: Arguments) -> None:
    """Raises ArgumentError for a name that does not exist, and ValueError for a number that makes no sense."""
    for what, given, known in (("task", arguments.tasks, tuple(ENVS)), ("split", arguments.splits, SPLITS)):
        for each in given:
            if each not in known:
                raise unknown(what, each, known)
    if arguments.tier and arguments.tier not in TIERS:
        raise unknown("tier", arguments.tier, TIERS)
    if not arguments.agents:
        raise ArgumentError("no agent is named")
    taken = {option for agent in arguments.agents for option in base.pick_accepted(agent, arguments.agent_options)}
    for option in arguments.agent_options:
        if option not in taken:
            others = {each for agent in arguments.agents for each in base.list_options(agent)}
            agents = ", ".join(arguments.agents)
            raise ArgumentError(f"none of the agents {agents} takes the option {option!r}: {make_hint(option, others)}")
    for agent in arguments.agents:
        base.pick_positional(agent, None, 0, **base.pick_accepted(agent, arguments.agent_options))
    for name in ("problem", "split", "tier"):
        if name in arguments.env_kwargs:
            reason = "which problems are played is not said by env_kwargs"
            raise ArgumentError(f"{reason}: leave {name!r} to the evaluation")
    for task in arguments.tasks:
        make_env(ENVS[task], arguments.env_kwargs).close()
    if not {*arguments.tasks} <= {*POSED}:
        _check_needs(arguments)
    if arguments.tokenizer:
        tokenizer.find(arguments.tokenizer)
    if arguments.seeds < 1:
        raise ValueError(f"there must be at least one seed, not {arguments.seeds}")


def _check_needs(arguments: Arguments) -> None:
    """Raises ArgumentError where an agent cannot play recorded telemetry with these arguments of the environments."""
    for agent in arguments.agents:
        for name, value in base.read_needs(agent).items():
            if arguments.env_kwargs.get(name) != value:
                way = json.dumps({**arguments.env_kwargs, name: value})
                raise ArgumentError(
                    f"the agent {agent!r} needs environments with {name}={value!r}: --env-kwargs '{way}'"
                )


def make_env(env: str, kwargs: Mapping[str, Any]) -> gym.Env[str, str]:
    """An environment for many episodes. Raises ArgumentError for arguments that it does not take."""
    try:
        made: gym.Env[str, str] = gym.make(env, disable_env_checker=True, **kwargs)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{env} cannot be made with {dict(kwargs)}: {error}") from None
    return made
