"""An environment that prints given texts whatever is done: all that wrappers may know is in them."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from aiops_gym.envs.space import UnicodeText

INFO = {
    "problem": "container_kill-detection",
    "task": "detection",
    "episode_seed": 0,
    "step": 0,
    "time": 0.0,
    "tool": "",
    "error": "",
    "valid_action": True,
    "is_success": False,
    "infra_error": False,
    "reward_components": {},
    "results": {},
}


class PlayedEnv(gym.Env[str, str]):
    """The texts in order, the last one again and again; ends with the last one where `ends`."""

    metadata = {"render_modes": [], "render_fps": 4}  # noqa: RUF012  # Declared by Gymnasium.

    def __init__(self, texts: list[str], task: str = "mitigation", hidden: Any = None, ends: bool = False) -> None:
        self.observation_space, self.action_space = UnicodeText(), UnicodeText()
        self.texts, self.task, self.hidden, self.ends = texts, task, hidden, ends
        self.at = 0
        self.said: list[str] = []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.said = 0, []
        return self.texts[0], {**INFO, "reward_components": {}, "results": {}, "secret": repr(self.hidden)}

    def step(self, action):
        self.said.append(action)
        self.at += 1
        over = self.ends and self.at >= len(self.texts) - 1
        info = {**INFO, "step": self.at, "time": 6.0 * self.at, "reward_components": {}, "results": {}}
        info["valid_action"] = "```" in action
        return self.texts[min(self.at, len(self.texts) - 1)], 0.0, over, False, {**info, "secret": repr(self.hidden)}
