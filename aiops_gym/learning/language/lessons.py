"""What the warm-up shows: episodes of the train split, played, kept and exported as any others.

The teacher looks at the same things whatever is wrong, and then gives the right answer, which only a trainer knows. So
no look tells the answer, and what it prints is all that a model can go by. Episodes of other agents do as well, where
they are exported with `aiops-gym export --tool-calls --split train`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aiops_gym.agents.base import Agent, Env, Fixed
from aiops_gym.envs.episode import RECEIVED
from aiops_gym.learning.language.settings import Settings
from aiops_gym.runs import evaluate
from aiops_gym.runs.export import Wanted, export
from aiops_gym.tools import write_call

LOOKS = (
    "kubectl get pods -n {namespace} | grep -v '1/1 *Running *0 '",
    "kubectl get deployments -n {namespace} | grep -v '1/1'; kubectl get endpoints -n {namespace} | grep none; "
    "kubectl get events -n {namespace} --field-selector type=Warning --no-headers "
    "-o custom-columns=O:.involvedObject.name,M:.message | tail -4 | cut -c1-120 | tr -d 0-9",
    "for name in $(kubectl get deployments -n {namespace} -o name); do kubectl logs -n {namespace} $name --tail=9 | "
    "grep -iE 'err|fail|panic' | tail -1 | cut -c1-90; done | tail -6 | tr -d 0-9",
)
"""Pods that do not run well, what is not ready and why, and what complains: a few hundred tokens in all."""

DONE = "Done."
"""What is said behind an answer, where the loop of a trainer asks once more."""


class Teacher(Fixed):
    """Takes the looks, and answers as the environment itself would."""

    def __init__(self, env: Env) -> None:
        super().__init__([], "teacher")
        self.env = env

    def reset(self, prompt: str) -> None:
        """Learn the answer of the episode that has begun."""
        super().reset(prompt)
        namespace = self.env.get_wrapper_attr("app").namespace
        looks = [write_call("exec_shell", {"command": look.replace("{namespace}", namespace)}) for look in LOOKS]
        self.actions = [*looks, self.env.get_wrapper_attr("reference_actions")()[-1]]


def teach(env: Env, seed: int = 0) -> Agent:
    """The teacher, as `evaluate` asks for an agent."""
    return Teacher(env)


def play_lessons(settings: Settings, folder: Path, workers: int) -> Path:
    """The file of the lessons; episodes that are there already are not played again."""
    file = folder / "lessons.jsonl"
    if not file.exists():
        env_kwargs = {"budget": settings.budget}
        played = folder / "episodes"
        chosen = {"split": "train", "sample": settings.lessons, "env_kwargs": env_kwargs, "workers": workers}
        evaluate(f"{__name__}:teach", settings.tasks, out=played, **chosen)  # type: ignore[arg-type]  # One by one they fit.
        export([played], file, Wanted(min_reward=1.0, tasks=settings.tasks, split="train"), system="", tools=True)
    return file


def read_lessons(file: Path, tools: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The conversations, with the tools as the trainer will show them, and a word behind each answer.

    Args:
        tools: task -> schemas.
    """
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [{"messages": _ended(row["messages"]), "tools": json.dumps(tools[row["task"]])} for row in rows]


def _ended(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    called = messages[-1].get("tool_calls")
    if not called:
        return messages
    received = {"role": "tool", "tool_call_id": called[0]["id"], "content": RECEIVED}
    return [*messages, received, {"role": "assistant", "content": DONE}]
