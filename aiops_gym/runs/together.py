"""Several episodes at once, for agents that mostly wait for somebody else, such as a model behind a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gymnasium as gym

from aiops_gym.agents.base import Agent
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.runner import run_episode

Env = gym.Env[str, str]


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
    on this machine, processes are faster: see `evaluate`.

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

    def play(seed: int) -> Episode:
        env = make_env()
        agent = make_agent(env, seed)
        try:
            return run_episode(env, agent, seed, options)
        finally:
            env.close()
            close = getattr(agent, "close", None)
            if callable(close):
                close()

    if at_once == 1 or len(seeds) == 1:  # here, where an interrupt arrives
        yield from map(play, seeds)
        return
    with ThreadPoolExecutor(at_once, thread_name_prefix="episode") as pool:
        waiting = [pool.submit(play, seed) for seed in seeds]
        try:
            yield from (future.result() for future in waiting)
        finally:
            for future in waiting:
                future.cancel()
