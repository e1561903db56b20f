"""What a person is told at the end: the verdict, what was wrong, what was done, and why it is worth that."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from aiops_gym.agents.base import Env
from aiops_gym.agents.human import LEFT
from aiops_gym.agents.waiting import INTERRUPTED
from aiops_gym.envs import render
from aiops_gym.errors import ToolError
from aiops_gym.runs import Episode
from aiops_gym.tools import parse

HOLDS = {
    "answer": ("the answer is right", "the answer is wrong"),
    "system_level": ("the layer is right", "the layer is wrong"),
    "fault_type": ("the kind is right", "the kind is wrong"),
    "criteria": ("the answer is right", "the answer is wrong"),
    "repaired": ("the pods look well", "the pods do not look well"),
    "cause_gone": ("the cause is gone", "the cause is still there"),
    "complete": ("all parts of the application are there", "parts of the application are missing"),
    "steady": ("nothing restarts any more", "something still restarts or does not come back"),
    "served": ("users are served as before the incident", "users are not served as before the incident"),
}
"""Part of a reward -> what it says where it is whole, and where it is not."""

WHOLE = {"system_level": 0.5, "fault_type": 0.5}
"""What a part is worth where it is not worth 1."""

COUNTS = {
    "damage": "things were damaged for good: {:g}",
    "collateral": "healthy objects that were changed, or guards opened: {:g}",
    "left": "things that were left behind: {:g}",
    "error_minutes": "minutes of failing requests that users saw: {:.1f}",
    "error_minutes_idle": "and had nobody done anything: {:.1f}",
    "false_alarm": "false alarms: {:g}",
}
"""Parts that count something bad."""


def render_ending(env: Env, episode: Episode, width: int = 0) -> str:
    """All of it, in colour; prose is broken at a width, commands are not."""
    info = {"infra_error": episode.infra_error, "is_success": episode.success, "results": episode.results}
    left = episode.agent_error in (LEFT, INTERRUPTED)
    explained = env.get_wrapper_attr("explanation")()
    why = () if left else explain_reward(episode.reward_components, episode.results)
    prose = {"What was wrong": explained["fault"], "Why": "\n".join(why)}
    parts = {name: render.wrap_lines(textwrap.indent(text, "  "), width) for name, text in prose.items()}
    commands = {
        "The right answer": explained["answer"],
        "A repair": explained["repair"],
        "What you did": _done(episode),
    }
    parts |= {name: textwrap.indent(text, "  ") for name, text in commands.items()}
    head = LEFT if left else render.render_verdict(episode.reward, info)
    told = [f"{name}:\n{parts[name]}" for name in ORDER if parts[name]]
    again = f"aiops-gym play --problem {episode.problem_id} --seed {episode.seed}"
    return "\n".join(["", render.wrap_lines(head, width), *told, f"The same again: {again}"])


ORDER = ("What was wrong", "The right answer", "A repair", "What you did", "Why")


def _done(episode: Episode) -> str:
    """The actions, a line each, as they were typed."""
    return "\n".join(f"{number}. {_typed(step['action'])}" for number, step in enumerate(episode.steps, 1))


def _typed(action: str) -> str:
    try:
        call = parse(action)
    except ToolError:
        return " ".join(action.split())
    text = str(call.args[0]) if call.name == "exec_shell" and call.args else call.line
    return " ".join(text.split())


def explain_reward(components: Mapping[str, float], results: Mapping[str, Any]) -> Iterator[str]:
    """A verdict in words: each part of the reward, and what the judge found."""
    for name, value in components.items():
        if name in HOLDS:
            whole = WHOLE.get(name, 1.0)
            part = f" in part ({value:.2f} of {whole:g})" if 0 < value < whole else ""
            yield HOLDS[name][0 if value else 1] + part
        elif name not in COUNTS:
            yield f"{name}: {value:g}"
        elif value:
            yield COUNTS[name].format(value)
    if found := results.get("reasons"):
        yield f"the judge found: {found}"
    for name in ("passed", "failed"):
        if results.get(name):
            yield f"{name}: {json.dumps(results[name], ensure_ascii=False)}"
