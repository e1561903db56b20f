"""The first observation: the system, the task, what may be called, and how to answer."""

from __future__ import annotations

from functools import cache

from aiops_gym.catalog.model import App, Problem
from aiops_gym.envs.parts import PromptParts, indent_manual
from aiops_gym.tasks.base import IncidentTask
from aiops_gym.tools import get_actions

FORMAT = """\
Answer with exactly one API call in one fenced block. Text around the block is taken as your thought. For example:

```
exec_shell("ls -l")
```
"""

RULES = """\
Each answer holds a single API call. {rule}
Please take the next action."""


def make_parts(task: IncidentTask, problem: Problem, app: App, tools: str = "basic") -> PromptParts:
    """What the agent is told at the start; nothing in it depends on what is wrong."""
    candidates = {"components": app.components, "reasons": ()} if task.names_components else None
    return PromptParts(task.brief(problem, app), _instructions(task), get_actions(task.name, tools=tools), candidates)


def make_prompt(told: PromptParts) -> str:
    """The same as one text."""
    actions = "\n\n".join(map(indent_manual, told.apis.values()))
    return f"{told.task}\n\nYou can call these APIs:\n\n{actions}\n\n{told.instructions}"


@cache
def _instructions(task: IncidentTask) -> str:
    answers = "\n\n".join(f"```\n{call}\n```\n({meaning})" for call, meaning in task.answers)
    return f"{FORMAT}\n{task.lead}\n\n{answers}\n\n{RULES.format(rule=task.rule)}"
