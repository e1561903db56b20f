"""The first observation of recorded incidents, under the headings of OpenRCA's prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym.envs.parts import PromptParts, collect_manuals, indent_manual
from aiops_gym.openrca import clock
from aiops_gym.openrca.model import Domain
from aiops_gym.openrca.origin import SYNTHETIC
from aiops_gym.openrca.problems import Problem
from aiops_gym.tools import Tool

ROLE = "You are an on-call engineer. Find the root cause of failures in the recorded telemetry of a system."

FORMAT = """\
Each answer holds exactly one API call in one fenced block; text around the block is taken as your thought. For example:

{example}

A submission ends the episode, right or wrong."""

NOTES = """\
- Times are Unix seconds or milliseconds, or text such as '{start}'; what names no time zone is in UTC+8. Both ends of a
  window belong to it.
- Recorded are the days {days}.
- A failure begins once; what it does to the telemetry may begin some minutes later and may spread to other components.
  Name where it began, and the time at which it did."""

MADE_UP = "- This telemetry is synthetic: a program made it in the layout of OpenRCA's data."
"""Note on data that were not recorded."""

ANSWER = """\
For one failure, give the elements that are asked for:

```
submit(component="...", reason="...", timestamp="YYYY-MM-DD HH:MM:SS")
```

For several failures, number them:

```
submit({"1": {"root cause component": "...", "root cause reason": "...", \
"root cause occurrence datetime": "YYYY-MM-DD HH:MM:SS"}, "2": {...}})
```"""


def make_parts(
    domain: Domain,
    problem: Problem,
    days: Sequence[str],
    tools: Mapping[str, Tool],
    example: str,
    data: str,
    more: Mapping[str, str],
) -> PromptParts:
    """What the agent is told at the start; nothing in it depends on the answer.

    Args:
        days: that are recorded.
        example: a right action.
        data: `original` or `synthetic`.
        more: sections by their headings, of a prompt that tells of the telemetry too.
    """
    notes = NOTES.format(start=clock.show(problem.start), days=", ".join(days))
    if data == SYNTHETIC:
        notes = f"{notes}\n{MADE_UP}"
    headed = {
        "SYSTEM": domain.about,
        "ISSUE": problem.instruction,
        "POSSIBLE ROOT CAUSE COMPONENTS": _list(domain.components),
        "POSSIBLE ROOT CAUSE REASONS": _list(domain.reasons),
        "NOTES": notes,
        **more,
    }
    task = "\n\n".join([ROLE, *(_headed(heading, text) for heading, text in headed.items())])
    instructions = f"{FORMAT.format(example=example)}\n\n{ANSWER}"
    candidates = {"components": domain.components, "reasons": domain.reasons}
    return PromptParts(task, instructions, collect_manuals(tools), candidates)


def make_prompt(told: PromptParts) -> str:
    """The same as one text: how to call stands below the getters, and how to submit below `submit`."""
    calling = told.instructions.removesuffix(f"\n\n{ANSWER}")
    getters = "\n\n".join(indent_manual(manual) for name, manual in told.apis.items() if name != "submit")
    apis = _headed("AVAILABLE APIS", f"{getters}\n\n{calling}")
    submit = _headed("SUBMIT API", f"{indent_manual(told.apis['submit'])}\n\n{ANSWER}")
    return "\n\n".join([told.task, apis, submit])


def _headed(heading: str, text: str) -> str:
    return f"## {heading}:\n\n{text}"


def _list(names: Sequence[str]) -> str:
    return "\n".join(f"- {name}" for name in names)
