"""One agent, one environment, one episode."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

import gymnasium as gym

from aiops_gym.agents.kinds import Adapted, AnyAgent, adapt
from aiops_gym.envs.limit import grade_last_step
from aiops_gym.runs import recording
from aiops_gym.runs.blame import note_blame
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.tokenizer import Tokenizer

LOG = logging.getLogger(__name__)


def run_episode(
    env: gym.Env[str, str],
    agent: AnyAgent | Adapted,
    seed: int | None = None,
    options: dict[str, Any] | None = None,
    tokenizer: Tokenizer | None = None,
    *,
    signals: bool = False,
) -> Episode:
    """Play one episode to its end.

    Args:
        env: made with `gymnasium.make`, wrapped or not.
        agent: has `act(observation) -> text` and perhaps `reset(prompt)`, or `init_context` and `get_action` as those
            of AIOpsLab have, or is a callable text -> text; each of these plain or async. The first observation that
            one acts on is the prompt.
        seed: given to the environment's `reset`.
        options: likewise.
        tokenizer: text -> its tokens or their number, with which `in_tokens` and `out_tokens` of the results are
            counted; without one they are estimated. `token_method` says which.
        signals: whether alerts and golden signals are kept, which the viewer shows; they take about 0.2 s an episode.

    What the agent raises ends the episode, which stays as it is then, with the reason in `agent_error` and the agent's
    own frames in `agent_traceback`; both are logged. What the environment raises is raised. An async agent has one
    event loop an episode and is closed with it; a plain one stays open for the next episode.

    Raises:
        TypeError: it is no agent.

    Example:
        >>> import gymnasium, aiops_gym
        >>> env = gymnasium.make("aiops_gym/Detection-v0", problem="container_kill-detection")
        >>> aiops_gym.run_episode(env, lambda observation: '```\\nsubmit("Yes")\\n```', seed=1).reward
        1.0
    """
    episode = play(env, adapt(agent), seed, options, tokenizer, close=False, signals=signals)
    if episode.agent_traceback:
        LOG.error("the agent %s: %s\n%s", episode.agent, episode.agent_error, episode.agent_traceback)
    return episode


def play(
    env: gym.Env[str, str],
    player: Adapted,
    seed: int | None,
    options: dict[str, Any] | None,
    tokenizer: Tokenizer | None = None,
    *,
    close: bool = True,
    signals: bool = False,
) -> Episode:
    """An episode as `run_episode` plays it.

    Args:
        close: a plain agent at the end, too.
        signals: as there.
    """
    episode = None
    try:
        observation, info = env.reset(seed=seed, options=options)
        began = time.perf_counter()
        episode = recording.begin_episode(env, player.name, seed, observation, info)
        episode.calls, episode.health = recording.ask(env, "calls", []), recording.ask(env, "health", {})
        recording.finish(env, episode, _turns(env, player, episode, observation, info), tokenizer)
        episode.wall_clock["seconds"] = time.perf_counter() - began
        if not episode.infra_error:
            episode.harm = recording.ask(env, "harm", {})
        if signals:
            recording.note_signals(env, episode)
        with note_blame(episode):
            episode.agent_report = _report(player)
        return episode
    finally:
        if close or player.awaited:
            with note_blame(episode):
                player.close()


def _turns(
    env: gym.Env[str, str], player: Adapted, episode: Episode, observation: str, info: dict[str, Any]
) -> dict[str, Any]:
    """All turns, until the environment or the agent ends it. Returns the last info."""
    known, thought = episode.health, 0.0
    with note_blame(episode):
        player.begin(env, observation)
    while not (episode.agent_error or episode.terminated or episode.truncated):
        action, asked = "", time.perf_counter()
        with note_blame(episode):
            action = player.act(observation)
        thought += time.perf_counter() - asked
        if episode.agent_error:
            break
        observation, reward, episode.terminated, episode.truncated, info = env.step(action)
        if episode.truncated:
            reward, info = grade_last_step(env, float(reward), info)
        recording.note_turn(episode, action, observation, float(reward), info)
        health = recording.ask(env, "health", {})
        if health != known:
            episode.steps[-1]["health"] = known = health
    episode.wall_clock = {"agent_seconds": thought}
    return info


def _report(player: Adapted) -> dict[str, Any]:
    """What the agent says of itself. It must be JSON data, as the episode is."""
    found = dict(player.report())
    json.dumps(found, allow_nan=False)
    return found
