"""One agent, one environment, one episode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym

from aiops_gym.agents.base import Agent, AgentError, adapt
from aiops_gym.envs.space import LIMIT
from aiops_gym.runs.episode import Episode
from aiops_gym.sim.draws import uuid
from aiops_gym.tools.clip import clip, utf8
from aiops_gym.version import __version__

START = 0.0


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
    episode = _begun(env, player, seed, observation, info)
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
        _note(episode, action, observation, float(reward), info)
        health = _ask(env, "health", {})
        if health != known:
            episode.steps[-1]["health"] = known = health
    _finish(episode, info)
    episode.agent_report = _ask(player, "report", {})
    return episode


def _begun(env: gym.Env[str, str], agent: Agent, seed: int | None, prompt: str, info: dict[str, Any]) -> Episode:
    name = getattr(agent, "name", type(agent).__name__.lower())
    began = float(getattr(env.unwrapped, "began", START))
    return Episode(
        agent=name,
        session_id=uuid(info["episode_seed"], "session", f"{info['problem']} {name}"),
        problem_id=info["problem"],
        start_time=began,
        end_time=began,
        version=__version__,
        env=env.spec.id if env.spec else type(env.unwrapped).__name__,
        env_kwargs=dict(env.spec.kwargs) if env.spec else {},
        task=info["task"],
        seed=seed,
        episode_seed=info["episode_seed"],
        prompt=prompt,
    )


def _ask(one: Any, name: str, unknown: Any) -> Any:
    """What an environment tells its trainer, or an agent of itself, where it can."""
    told = getattr(getattr(one, "unwrapped", one), name, None)
    return told() if callable(told) else unknown


def _note(episode: Episode, action: Any, observation: str, reward: float, info: dict[str, Any]) -> None:
    text = clip(utf8(action if isinstance(action, str) else repr(action)), LIMIT)  # no environment plays a longer one
    episode.trace += [{"role": "assistant", "content": text}, {"role": "env", "content": observation}]
    turn = {"action": text, "observation": observation, "reward": reward}
    episode.steps.append({**turn, **{key: info[key] for key in ("time", "tool", "error")}})
    episode.reward += reward


def _finish(episode: Episode, info: dict[str, Any]) -> None:
    episode.end_time = round(episode.start_time + info["time"], 3)
    episode.results = dict(info["results"]) or {"success": False, "submitted": ""}
    episode.success = bool(info["is_success"])
    episode.submitted = str(episode.results["submitted"])
    episode.reward_components = dict(info["reward_components"])
    episode.infra_error = bool(info["infra_error"])
