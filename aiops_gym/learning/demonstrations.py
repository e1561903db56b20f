"""Episodes of players that know what to do, as a Minari data set: to learn offline, or from demonstrations.

In numbers, as the learning runs see an incident, with the mask of each turn; or in texts, as agents see it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from importlib.util import find_spec
from typing import Any

import gymnasium as gym

from aiops_gym import version
from aiops_gym.agents import base
from aiops_gym.agents.kinds import adapt
from aiops_gym.catalog.model import TASKS
from aiops_gym.envs.naming import ENVS
from aiops_gym.errors import AiopsGymError, unknown
from aiops_gym.learning import worlds
from aiops_gym.learning.imitation import draw_problem, find_right
from aiops_gym.learning.oracle import look_around
from aiops_gym.learning.script import Scripted
from aiops_gym.learning.settings import Settings
from aiops_gym.learning.stack import wrap
from aiops_gym.wrappers import NumericInfo

Env = gym.Env[Any, Any]
Play = Callable[[Env, int, str], Sequence[Any]]
"""Plays the episode of a seed and a problem, and says which actions it took; none where it knows none."""


def record(
    dataset: str,
    task: str,
    player: str,
    episodes: int,
    *,
    seed: int = 0,
    split: str = "train",
    tier: str | None = None,
    **about: Any,
) -> Any:
    """Play episodes, and keep them as a Minari data set on this machine.

    Args:
        dataset: its name, such as `aiops_gym/detection/reference-v0`.
        task: of the episodes.
        player: `reference` (all looks, then what is right) or `script` (`learning.script`), both in numbers; or
            `text:NAME` for an agent of that name, in texts.
        episodes: so many; an episode for which no action stands for what is right is left out, and another is drawn.
        seed: draws problems and episodes.
        split: of the problems.
        tier: of the problems; None for all but the hard ones.
        about: what else Minari keeps of a data set, such as `author`.

    Returns:
        The data set, a `minari.MinariDataset`. Its infos hold `action_mask` where actions are numbers.

    Raises:
        AiopsGymError: Minari is not installed, or there is no such task or player.
    """
    if find_spec("minari") is None:
        raise AiopsGymError("a data set of Minari needs its package: pip install 'aiops_gym[minari]'")
    if task not in TASKS:
        raise unknown("task", task, TASKS)
    import minari  # noqa: PLC0415

    settings = Settings(task=task, seed=seed, split=split, tier=tier)
    env, play = _prepare(task, player, split=split, **({"tier": tier} if tier else {}))
    about.setdefault("description", f"{task} of split {split}, played by {player}; seeds drawn from {seed}")
    about.setdefault("requirements", [f"aiops_gym=={version.__version__}"])
    with closing(minari.DataCollector(env, record_infos=True)) as collector, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`", UserWarning)  # of what Minari would like to know and nobody said
        _collect(collector, play, settings, episodes)
        return collector.create_dataset(dataset, algorithm_name=player, **about)


def _collect(collector: Env, play: Play, settings: Settings, episodes: int) -> None:
    """So many episodes: each is played, and played again before those who keep it."""
    kept, at = 0, 0
    while kept < episodes:
        seed, problem = worlds.draw_seed(settings.seed, "demonstration", at), draw_problem(settings, at)
        actions = play(collector.env, seed, problem)  # type: ignore[attr-defined]
        if actions:
            collector.reset(seed=seed, options={"problem": problem})
            for action in actions:
                collector.step(action)
            kept += 1
        at += 1


def _prepare(task: str, player: str, **drawn: Any) -> tuple[Env, Play]:
    """What is played, and who plays."""
    plain: Env = gym.make(f"aiops_gym:{ENVS[task]}", disable_env_checker=True, **drawn)
    kind, colon, name = player.partition(":")
    if colon and kind == "text":
        return NumericInfo(plain), _text_player(name)
    if player not in PLAYERS:
        raise unknown("player", player, [*PLAYERS, "text:NAME"])
    return NumericInfo(wrap(plain)), PLAYERS[player]


def _play_reference(env: Env, seed: int, problem: str) -> Sequence[int]:
    """All looks, then what only a trainer knows."""
    env.reset(seed=seed, options={"problem": problem})
    actions = []
    for look in look_around(env):
        actions.append(look)
        env.step(look)
    right = find_right(env, str(env.get_wrapper_attr("task")))
    return [*actions, *right] if right else ()


def _play_script(env: Env, seed: int, problem: str) -> Sequence[int]:
    """What the rules on the same numbers do, right or wrong."""
    player = Scripted(env, stack=lambda _: env)
    seen, _ = env.reset(seed=seed, options={"problem": problem})
    actions, over = list[int](), False
    while not over:
        player.action = player.choose(seen)
        actions.append(player.action)
        seen, _, ended, cut, _ = env.step(player.action)
        over = ended or cut
    return actions


PLAYERS: Mapping[str, Play] = {"reference": _play_reference, "script": _play_script}
"""Who plays in numbers."""


def _text_player(name: str) -> Play:
    def play(env: Env, seed: int, problem: str) -> Sequence[str]:
        """What an agent of texts does."""
        agent = adapt(base.make(name, env))
        text, _ = env.reset(seed=seed, options={"problem": problem})
        agent.begin(env, text)
        actions, over = list[str](), False
        while not over:
            actions.append(agent.act(text))
            text, _, ended, cut, _ = env.step(actions[-1])
            over = ended or cut
        agent.close()
        return actions

    return play
