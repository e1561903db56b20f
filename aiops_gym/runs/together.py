"""Several episodes at once, for agents that mostly wait for somebody else, such as a model behind a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event
from typing import Any

import gymnasium as gym

from aiops_gym.agents.base import Agent, AgentError, adapt
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.runner import run_episode

Env = gym.Env[str, str]

INTERRUPTED = "interrupted"
"""Why an episode ended that was running at an interrupt."""


def run_episodes(
    make_env: Callable[[], Env],
    make_agent: Callable[[Env, int], Agent],
    seeds: Sequence[int],
    *,
    at_once: int = 8,
    options: dict[str, Any] | None = None,
) -> Iterator[Episode]:
    """Play an episode a seed, some of them at the same time, and give them in the order of the seeds.

    Each has an environment and an agent of its own, made and used in one thread: nothing is shared. Where agents think
    on this machine, processes are faster: see `evaluate`. After an interrupt (Ctrl-C) running episodes end before their
    next action, with what there is of them and with `INTERRUPTED` as `agent_error`; none begins any more, and
    `KeyboardInterrupt` is raised when they have been given.

    Args:
        make_env: makes an environment.
        make_agent: makes an agent for it, with a seed.
        seeds: given to `reset`, and to the agent.
        at_once: episodes that are played at the same time, 1 or more.
        options: given to `reset`.

    Example:
        >>> import gymnasium, aiops_gym
        >>> from aiops_gym.agents import base
        >>> from aiops_gym.runs.together import run_episodes
        >>> make_env = lambda: gymnasium.make("aiops_gym/Detection-v0", problem="noop_detection_hotel_reservation-1")
        >>> make_agent = lambda env, seed: base.make("noop", env, seed)
        >>> [episode.reward for episode in run_episodes(make_env, make_agent, range(3), at_once=2)]
        [1.0, 1.0, 1.0]
    """

    stop = Event()

    def play(seed: int) -> Episode:
        env = make_env()
        agent = make_agent(env, seed)
        try:
            return run_episode(env, _Interruptible(agent, stop), seed, options)
        finally:
            env.close()
            close = getattr(agent, "close", None)
            if callable(close):
                close()

    if at_once == 1 or len(seeds) == 1:  # here, where an interrupt arrives
        for seed in seeds:
            yield play(seed)
            if stop.is_set():
                raise KeyboardInterrupt
        return
    with ThreadPoolExecutor(at_once, thread_name_prefix="episode") as pool:
        waiting: list[Future[Episode]] = []
        try:
            _begin(waiting, lambda seed: pool.submit(play, seed), seeds, stop)
            yield from _in_order(waiting, stop)
        finally:
            stop.set()
            for future in waiting:
                future.cancel()


def _begin(
    waiting: list[Future[Episode]], begin: Callable[[int], Future[Episode]], seeds: Sequence[int], stop: Event
) -> None:
    """Hand over all that is to be played; an interrupt here loses none that was."""
    try:
        for seed in seeds:
            waiting.append(begin(seed))
    except KeyboardInterrupt:
        stop.set()


def _in_order(waiting: Sequence[Future[Episode]], stop: Event) -> Iterator[Episode]:
    """Each as soon as those before it are there; after an interrupt those that had begun. Raises KeyboardInterrupt."""
    for future in waiting:
        try:
            wait([future])
        except KeyboardInterrupt:
            stop.set()
        if not (stop.is_set() and future.cancel()):
            yield future.result()
    if stop.is_set():
        raise KeyboardInterrupt


class _Interruptible:
    """An agent that gives up once it shall stop."""

    def __init__(self, agent: Agent, stop: Event) -> None:
        self._agent, self._stop = adapt(agent), stop
        self.name = getattr(self._agent, "name", type(self._agent).__name__.lower())

    def reset(self, prompt: str) -> None:
        """As the agent does."""
        self._agent.reset(prompt)

    def report(self) -> Any:
        """What the agent tells of itself, where it does."""
        told = getattr(self._agent, "report", dict)
        return told()

    def act(self, observation: str) -> str:
        """What the agent does, unless it shall stop. Raises AgentError then."""
        if not self._stop.is_set():
            try:
                return self._agent.act(observation)
            except KeyboardInterrupt:  # in this thread, while it thought
                self._stop.set()
        raise AgentError(INTERRUPTED)
