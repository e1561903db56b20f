"""What is written down of an episode while it is played, whoever plays it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from aiops_gym.envs.space import LIMIT
from aiops_gym.envs.tokens import METHOD, count
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.tokenizer import Tokenizer, count_tokens
from aiops_gym.sim.kernel.draws import uuid
from aiops_gym.tools.clip import clip, utf8
from aiops_gym.version import __version__

UNLIMITED = -1
"""As a limit of steps, for `gymnasium.make`: none."""


def begin_episode(
    env: gym.Env[Any, Any], agent: str, seed: int | None, prompt: str, info: dict[str, Any], session: str = ""
) -> Episode:
    """An episode without a turn.

    Args:
        env: which was reset.
        agent: its name.
        seed: that it was reset with.
        prompt: the first text.
        info: of the reset.
        session: tells apart episodes that are otherwise the same.
    """
    began = float(getattr(env.unwrapped, "began", 0.0))
    return Episode(
        agent=agent,
        session_id=uuid(info["episode_seed"], "session", f"{info['problem']} {agent}{session}"),
        problem_id=info["problem"],
        start_time=began,
        end_time=began,
        **_made_by(env),
        task=info["task"],
        data=info.get("data", ""),
        seed=seed,
        episode_seed=info["episode_seed"],
        prompt=prompt,
    )


def record_unbegun(env: gym.Env[Any, Any], agent: str, seed: int, options: dict[str, Any] | None, why: str) -> Episode:
    """An episode that its environment could not begin; its problem is known where the options name it."""
    return Episode(
        agent=agent,
        session_id=uuid(seed, "session", f"unbegun {agent}"),
        problem_id=str((options or {}).get("problem", "")),
        start_time=0.0,
        end_time=0.0,
        results=_without_verdict(env, [], 0.0),
        **_made_by(env),
        seed=seed,
        prompt=why,
        infra_error=True,
    )


def _made_by(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """The version, and what `gymnasium.make` needs: the limit of steps too, where it is not the registered one."""
    spec, found = env.spec, {"version": __version__}
    if spec is None:
        return {**found, "env": type(env.unwrapped).__name__}
    registered, kwargs = gym.registry.get(spec.id), dict(spec.kwargs)
    if registered is not None and spec.max_episode_steps != registered.max_episode_steps:
        kwargs["max_episode_steps"] = spec.max_episode_steps or UNLIMITED
    return {**found, "env": spec.id, "env_kwargs": kwargs}


def note_turn(episode: Episode, action: Any, observation: str, reward: float, info: dict[str, Any]) -> None:
    """Add a turn; an action that is no text as its `repr`, and none longer than an environment plays."""
    text = clip(utf8(action if isinstance(action, str) else repr(action)), LIMIT)
    episode.trace += [{"role": "assistant", "content": text}, {"role": "env", "content": observation}]
    turn = {"action": text, "observation": observation, "reward": reward}
    episode.steps.append({**turn, **{key: info[key] for key in ("time", "tool", "error")}})
    episode.reward += reward


def ask(env: gym.Env[Any, Any], name: str, unknown: Any) -> Any:
    """What an environment tells its trainer, where it can."""
    told = getattr(env.unwrapped, name, None)
    return told() if callable(told) else unknown


def note_signals(env: gym.Env[Any, Any], episode: Episode) -> None:
    """Add what telemetry said of an episode that is over. It takes a while: only who keeps the episode asks for it."""
    if not episode.infra_error:
        episode.signals = ask(env, "signals", {})


def finish(env: gym.Env[Any, Any], episode: Episode, info: dict[str, Any], tokenizer: Tokenizer | None = None) -> None:
    """Add the verdict, as far as there is one.

    Args:
        env: that was played.
        episode: all of its turns.
        info: of the last one.
        tokenizer: counts the tokens anew.
    """
    episode.end_time = round(episode.start_time + info["time"], 3)
    episode.results = dict(info["results"]) or _without_verdict(env, episode.steps, info["time"])
    episode.success = bool(info["is_success"])
    episode.submitted = str(episode.results["submitted"])
    episode.reward_components = dict(info["reward_components"])
    episode.infra_error = bool(info["infra_error"])
    if tokenizer is not None:
        episode.results |= count_tokens(episode, tokenizer)


def _without_verdict(env: gym.Env[Any, Any], turns: Sequence[dict[str, Any]], seconds: float) -> dict[str, Any]:
    """Results of an episode without a verdict: its numbers, of the types that they have in one."""
    clock = str(getattr(env.unwrapped, "clock", "time"))
    heard, said = (sum(count(turn[key]) for turn in turns) for key in ("observation", "action"))
    tokens = {"in_tokens": heard, "out_tokens": said, "token_method": METHOD}
    return {clock: seconds, "steps": len(turns), **tokens, "success": False, "submitted": ""}
