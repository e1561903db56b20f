"""Agents that play with the stack of wrappers around them: a trained model, and luck with the same mask.

An agent is given texts and gives texts, and so it plays in `evaluate` and is seen in the viewer like all others. Its
wrappers stand around an environment that is told what the real one printed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from aiops_gym.envs.space import UnicodeText
from aiops_gym.errors import ToolError
from aiops_gym.learning import policies
from aiops_gym.learning.stack import wrap
from aiops_gym.sim.kernel import draws
from aiops_gym.tools import parse
from aiops_gym.wrappers.macro_actions import UNFILLED, find_offered

Env = gym.Env[Any, Any]


class Told(gym.Env[str, str]):
    """An environment that shows the texts it is told, and rewards nothing: infos are for trainers, not for agents.

    Args:
        like: whose task and limits it has.
    """

    def __init__(self, like: Env) -> None:
        self.task, self.offered = str(like.get_wrapper_attr("task")), find_offered(like)
        self.spec = like.spec
        self.observation_space, self.action_space = UnicodeText(), UnicodeText()
        self.text = ""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """The text, as a prompt."""
        super().reset(seed=seed)
        return self.text, self._info("")

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """The text, as what the action printed."""
        try:
            parse(action)
        except ToolError as error:
            return self.text, 0.0, False, False, self._info(error.code)
        return self.text, 0.0, False, False, self._info("")

    def _info(self, error: str) -> dict[str, Any]:
        numbers = {"problem": "", "task": self.task, "episode_seed": 0, "step": 0, "time": 0.0, "tool": ""}
        rest = {"is_success": False, "infra_error": False, "reward_components": {}, "results": {}}
        return {**numbers, "error": error, "valid_action": not error, **rest}


class Numbered(ABC):
    """Plays by number: turns what it reads into what a network reads, and the network's answer into a text.

    Args:
        env: that is played; nothing but its task and limits is looked at.
        looks_first: of the stack of the learning runs; so is `without`.
        stack: puts other wrappers around an environment of texts. They must say with `meaning(number)` which text an
            action stands for, as `MacroActions` does, and can look at nothing but texts.

    Attributes:
        stack: the wrappers, for `choose` to ask of: `self.stack.get_wrapper_attr("action_masks")()`.
    """

    name = "numbered"

    def __init__(
        self, env: Env, looks_first: bool = False, stack: Callable[[Env], Env] | None = None, without: str = ""
    ) -> None:
        self.told = Told(env)
        self.stack = stack(self.told) if stack else wrap(self.told, looks_first, without=without)
        self.action: int | None = None

    def reset(self, prompt: str) -> None:
        """A new episode begins."""
        self.action = None

    def act(self, observation: str) -> str:
        """Read, choose, and say what the choice stands for."""
        self.told.text = observation
        seen = self.stack.reset()[0] if self.action is None else self.stack.step(self.action)[0]
        self.action = self.choose(seen)
        return self.stack.get_wrapper_attr("meaning")(self.action) or UNFILLED

    @abstractmethod
    def choose(self, seen: Any) -> int:
        """The number of an action, for what the outermost wrapper shows."""


class Trained(Numbered):
    """Plays what a network has learned."""

    name = "trained"

    def __init__(self, env: Env, seed: int, policy: policies.Policy, sampled: bool, without: str) -> None:
        super().__init__(env, without=without)
        policy.fits(self.stack)
        self.policy, self.sampled, self.seed = policy, sampled, seed

    def reset(self, prompt: str) -> None:
        """Begin with the same numbers again."""
        super().reset(prompt)
        if self.sampled:
            import torch  # noqa: PLC0415

            torch.manual_seed(self.seed)

    def choose(self, seen: Any) -> int:
        """What the network says."""
        return self.policy.choose(self.stack, seen, self.sampled)


class MaskedRandom(Numbered):
    """Draws any action that the mask allows."""

    name = "masked-random"

    def __init__(self, env: Env, seed: int, looks_first: bool) -> None:
        super().__init__(env, looks_first)
        self.env, self.seed, self.turn, self.key = env, seed, 0, ""

    def reset(self, prompt: str) -> None:
        """Begin with the numbers of this episode: a sample plays each problem with the same seed."""
        super().reset(prompt)
        problem, episode_seed = self.env.get_wrapper_attr("episode")
        self.turn, self.key = 0, f"{problem} {episode_seed}"

    def choose(self, seen: Any) -> int:
        """One of those, each as likely."""
        self.turn += 1
        allowed = np.flatnonzero(self.stack.get_wrapper_attr("action_masks")())
        return int(allowed[draws.pick(len(allowed), self.seed, "masked random", self.key, self.turn)])


def trained(env: Env, seed: int = 0, model: str = "", sampled: bool = False, without: str = "") -> Trained:
    """The agent of a model that `aiops-gym train` has written.

    Args:
        model: its file, `DIR/model.zip`; `{task}` in it stands for the task of the environment.
        sampled: draw actions by their probabilities, instead of always taking the likeliest.
        without: what was left out when it was trained.
    """
    file = model.replace("{task}", str(env.get_wrapper_attr("task")))
    return Trained(env, seed, policies.load(file), sampled, without)


def masked_random(env: Env, seed: int = 0, looks_first: bool = False) -> MaskedRandom:
    """The agent that draws among the actions of the stack.

    Args:
        looks_first: whether answers are masked until all was looked at, as for a network that learns. Luck seldom
            comes to an answer that way, since most of its looks are at single components, and so it runs out of steps.
    """
    return MaskedRandom(env, seed, looks_first)
