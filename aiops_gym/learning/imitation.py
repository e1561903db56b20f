"""A baseline that explores nothing: the same network, shown the right answers after fixed looks.

Each lesson is an episode of the train split: all looks in their order, then what is right, which only the trainer
knows: the answer, or in Mitigation a repair that was found by trying on forks. What it cannot learn so, no reward is
needed for; what it does learn is no matter of exploration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from aiops_gym.catalog import registry
from aiops_gym.learning import worlds
from aiops_gym.learning.ablations import OF_FEATURES, leave_out
from aiops_gym.learning.extra import require_extra
from aiops_gym.learning.oracle import find_repair, look_around
from aiops_gym.learning.policies import find_algorithm
from aiops_gym.learning.settings import ALGORITHMS, Settings
from aiops_gym.learning.trial import SHARE
from aiops_gym.sim.kernel import draws
from aiops_gym.tools import parse

Env = gym.Env[Any, Any]
Turn = tuple[Any, Any, int]
"""What is shown, what is allowed, and the right action."""

LESSONS: Mapping[str, int] = {"detection": 1_500, "localization": 1_500, "analysis": 1_500, "mitigation": 600}
"""Episodes of each task: a repair takes some trials."""

EPOCHS, BATCH, RATE, CHUNK = 30, 256, 1e-3, 25
"""Passes over the lessons, size of a minibatch, size of a step, and episodes of a file."""


def imitate(
    settings: Settings,
    out: Path,
    lessons: int = 0,
    shown: Callable[[int], None] = lambda _: None,
    whole: Path | None = None,
) -> Path:
    """Learn a task from right answers, and keep the network as `model.zip`; cut short, it goes on where it was.

    Args:
        settings: of a run of training with the same stack.
        out: a folder.
        lessons: episodes; 0 for those of `LESSONS`.
        shown: told how many of them there are.
        whole: the folder of another one, in whose lessons nothing was left out: they are used again where it is only
            features that are left out here.
    """
    require_extra()
    model, many = out / "model.zip", lessons or LESSONS[settings.task]
    if model.exists():
        return model
    where, hidden = (whole, settings.without) if whole and settings.without in OF_FEATURES else (out, "")
    env, files = worlds.make_world(replace(settings, without="") if hidden else settings), []
    for begin in range(0, many, CHUNK):
        shown(begin)
        files.append(where / "lessons" / f"{begin:06d}.npz")
        if not files[-1].exists():
            each = [_lesson(env, settings, at) for at in range(begin, min(begin + CHUNK, many))]
            _keep(files[-1], [turn for lesson in each for turn in lesson])
    learner = _fitted(env, settings, [np.load(file) for file in files], hidden)
    out.mkdir(parents=True, exist_ok=True)
    half = out / ".model.half.zip"
    learner.save(half)
    half.replace(model)
    return model


def _keep(file: Path, turns: Sequence[Turn]) -> None:
    """Write the turns of some episodes, all or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    seen: dict[str, Any] = {name: np.stack([turn[0][name] for turn in turns]) for name in turns[0][0]} if turns else {}
    half = file.with_name(f".{file.name}.half.npz")
    seen |= {"mask": np.array([turn[1] for turn in turns]), "right": np.array([turn[2] for turn in turns], np.int64)}
    np.savez_compressed(half, **seen)
    half.replace(file)


def _lesson(env: Env, settings: Settings, at: int) -> list[Turn]:
    """The turns of one episode, the looks too; none where no action stands for what is right."""
    seed = worlds.draw_seed(settings.seed, "lesson", at)
    seen = env.reset(seed=seed, options={"problem": draw_problem(settings, at)})[0]
    turns: list[Turn] = []

    def take(action: int) -> None:
        nonlocal seen
        turns.append((seen, env.get_wrapper_attr("action_masks")(), action))
        seen = env.step(action)[0]

    for look in look_around(env):
        take(look)
    right = find_right(env, settings.task)
    for action in right:
        take(action)
    return turns if right else []


def draw_problem(settings: Settings, at: int) -> str:
    """A problem of the train split, healthy ones in the share of a test; each family as likely."""
    calm = registry.list_healthy(settings.task, settings.split, settings.tier)
    if calm and draws.draw(settings.seed, "healthy lesson", "", at) < SHARE[settings.task]:
        return calm[draws.pick(len(calm), settings.seed, "calm lesson", "", at)].id
    every = registry.problems(settings.task, split=settings.split, tier=settings.tier)
    faulty = [each for each in every if each.fault]
    families = sorted({each.fault for each in faulty})
    family = families[draws.pick(len(families), settings.seed, "family of a lesson", "", at)]
    found = [each.id for each in faulty if each.fault == family]
    return found[draws.pick(len(found), settings.seed, "lesson of a family", "", at)]


def find_right(env: Env, task: str) -> Sequence[int]:
    """The numbers of the right actions; none where no number stands for what is right."""
    if task == "mitigation":
        return find_repair(env) or ()
    meanings = env.get_wrapper_attr("meanings")()
    answer = env.get_wrapper_attr("reference_actions")()[-1]
    if answer in meanings:
        return [meanings.index(answer)]
    return _name_several(env, parse(answer).args[0]) if task == "localization" else ()


def _name_several(env: Env, components: Sequence[str]) -> Sequence[int]:
    """Notes of all but the last, and the answer with that one; none where one was not seen, or none can be noted."""
    names, known = env.get_wrapper_attr("macro_names"), env.get_wrapper_attr("named")()
    if len(components) < 2 or "suspect 0" not in names or not set(components) <= set(known):
        return ()
    *noted, last = (known.index(component) for component in components)
    return [*(names.index(f"suspect {at}") for at in noted), names.index(f"submit {last}")]


def _fitted(env: Env, settings: Settings, lessons: Sequence[Any], hidden: str) -> Any:
    """A learner whose network takes the right actions as far as it can, by cross-entropy."""
    import torch  # noqa: PLC0415  # Takes two seconds.
    from stable_baselines3.common.utils import set_random_seed  # noqa: PLC0415

    from aiops_gym.learning.policy import make_policy_kwargs  # noqa: PLC0415

    set_random_seed(draws.bits(settings.seed, "imitation") % 2**31)
    policy, kwargs = make_policy_kwargs(env)
    learner = find_algorithm(ALGORITHMS[0])(policy, env, policy_kwargs=kwargs, device="cpu")
    some = [each for each in lessons if len(each["right"])]
    parts = {name: np.concatenate([each[name] for each in some]) for name in some[0].files}
    masks, right = parts.pop("mask"), torch.as_tensor(parts.pop("right"))
    left = leave_out(hidden, parts, settings.seed, 0)
    seen = {name: torch.as_tensor(each) for name, each in left.items()}
    optimizer = torch.optim.Adam(learner.policy.parameters(), lr=RATE)
    learner.policy.set_training_mode(True)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(right)).split(BATCH):
            part = {name: each[rows] for name, each in seen.items()}
            _, likely, _ = learner.policy.evaluate_actions(part, right[rows], action_masks=masks[rows.numpy()])
            optimizer.zero_grad()
            (-likely.mean()).backward()
            optimizer.step()
    return learner
