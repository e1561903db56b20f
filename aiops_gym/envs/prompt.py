"""The first observation: the system, the task, what may be called, and how to answer."""

from __future__ import annotations

from functools import cache

from aiops_gym.catalog.model import App, Problem
from aiops_gym.tasks.base import IncidentTask
from aiops_gym.tools import get_actions

FORMAT = """\
Answer with exactly one API call in one fenced block. Text around the block is taken as your thought. For example:

```
exec_shell("ls -l")
```

When you are done, submit your answer:
"""

RULES = """\
Each answer holds a single API call. A submission ends the episode, right or wrong.
Please take the next action."""


def prompt(task: IncidentTask, problem: Problem, app: App) -> str:
    """All that the agent is told at the start; nothing in it depends on what is wrong."""
    return f"{task.brief(problem, app)}\n\n{_manual(task)}"


@cache
def _manual(task: IncidentTask) -> str:
    actions = "\n\n".join(_indent(manual) for manual in get_actions(task.name).values())
    answers = "\n\n".join(f"```\n{call}\n```\n({meaning})" for call, meaning in task.answers)
    return f"You can call these APIs:\n\n{actions}\n\n{FORMAT}\n{answers}\n\n{RULES}"


def _indent(manual: str) -> str:
    usage, _, rest = manual.partition("\n")
    return "\n".join([usage, *(f"    {line}".rstrip() for line in rest.splitlines())])
