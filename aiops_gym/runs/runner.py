"""One agent, one environment, one episode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym

from aiops_gym.agents.base import Agent, AgentError, adapt
from aiops_gym.runs import recording
from aiops_gym.runs.episode import Episode


def run_episode(
    env: gym.Env[str, str],
    agent: Agent | Callable[[str], str],
    seed: int | None = None,
    options: dict[str, Any] | None = None,
) -> Episode:
    """Play one episode to its end.

    Args:
        env: made with `gymnasium.make`, wrapped or not.
        agent: `reset(prompt)` and `act(observation) -> text`, or any callable text -> text. The first observation that
            it acts on is the prompt.
        seed: given to the environment's `reset`.
        options: likewise.

    An agent that raises `AgentError` gives up: the episode stays as it is then, with the reason in `agent_error`.

    Example:
        >>> import gymnasium, aiops_gym
        >>> env = gymnasium.make("aiops_gym/Detection-v0", problem="container_kill-detection")
        >>> aiops_gym.run_episode(env, lambda observation: '```\\nsubmit("Yes")\\n```', seed=1).reward
        1.0
    """
    player = adapt(agent)
    observation, info = env.reset(seed=seed, options=options)
    name = getattr(player, "name", type(player).__name__.lower())
    episode = recording.begun(env, name, seed, observation, info)
    episode.calls, episode.health = _ask(env, "calls", []), _ask(env, "health", {})
    known = episode.health
    player.reset(observation)
    while not (episode.terminated or episode.truncated):
        try:
            action = player.act(observation)
        except AgentError as error:
            episode.agent_error = str(error)
            break
        observation, reward, episode.terminated, episode.truncated, info = env.step(action)
        recording.note(episode, action, observation, float(reward), info)
        health = _ask(env, "health", {})
        if health != known:
            episode.steps[-1]["health"] = known = health
    recording.finish(episode, info)
    episode.agent_report = _ask(player, "report", {})
    return episode


def _ask(one: Any, name: str, unknown: Any) -> Any:
    """What an environment tells its trainer, or an agent of itself, where it can."""
    told = getattr(getattr(one, "unwrapped", one), name, None)
    return told() if callable(told) else unknown
