"""One agent, one environment, one episode."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym

from aiops_gym.agents.base import Agent, AgentError, adapt
from aiops_gym.envs.limit import graded
from aiops_gym.runs import recording
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.tokenizer import Tokenizer


def run_episode(
    env: gym.Env[str, str],
    agent: Agent | Callable[[str], str],
    seed: int | None = None,
    options: dict[str, Any] | None = None,
    tokenizer: Tokenizer | None = None,
) -> Episode:
    """Play one episode to its end.

    Args:
        env: made with `gymnasium.make`, wrapped or not.
        agent: `reset(prompt)` and `act(observation) -> text`, or any callable text -> text. The first observation that
            it acts on is the prompt.
        seed: given to the environment's `reset`.
        options: likewise.
        tokenizer: text -> its tokens or their number, with which `in_tokens` and `out_tokens` of the results are
            counted; without one they are estimated. `token_method` says which.

    An agent that raises `AgentError` gives up: the episode stays as it is then, with the reason in `agent_error`.

    Example:
        >>> import gymnasium, aiops_gym
        >>> env = gymnasium.make("aiops_gym/Detection-v0", problem="container_kill-detection")
        >>> aiops_gym.run_episode(env, lambda observation: '```\\nsubmit("Yes")\\n```', seed=1).reward
        1.0
    """
    player = adapt(agent)
    observation, info = env.reset(seed=seed, options=options)
    began, thought = time.perf_counter(), 0.0
    name = getattr(player, "name", type(player).__name__.lower())
    episode = recording.begun(env, name, seed, observation, info)
    episode.calls, episode.health = _ask(env, "calls", []), _ask(env, "health", {})
    known = episode.health
    player.reset(observation)
    while not (episode.terminated or episode.truncated):
        asked = time.perf_counter()
        try:
            action = player.act(observation)
        except AgentError as error:
            episode.agent_error = str(error)
            break
        finally:
            thought += time.perf_counter() - asked
        observation, reward, episode.terminated, episode.truncated, info = env.step(action)
        if episode.truncated:
            reward, info = graded(env, float(reward), info)
        recording.note(episode, action, observation, float(reward), info)
        health = _ask(env, "health", {})
        if health != known:
            episode.steps[-1]["health"] = known = health
    recording.finish(env, episode, info, tokenizer)
    episode.wall_clock = {"seconds": time.perf_counter() - began, "agent_seconds": thought}
    episode.agent_report = _ask(player, "report", {})
    return episode


def _ask(one: Any, name: str, unknown: Any) -> Any:
    """What an environment tells its trainer, or an agent of itself, where it can."""
    told = getattr(getattr(one, "unwrapped", one), name, None)
    return told() if callable(told) else unknown
