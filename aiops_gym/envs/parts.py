"""What a prompt is made of, for agents that make one of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiops_gym.tools import Tool


@dataclass(frozen=True, slots=True)
class PromptParts:
    """All that the first observation says, in the parts that AIOpsLab's agents are given as their context.

    Attributes:
        task: the system, what is asked about it, and what an answer may name.
        instructions: how to call an API, and how to submit.
        apis: name -> signature and docstring, as `aiops_gym.tools.get_actions` gives them.
        candidates: `components` and `reasons` that an answer may name; None where it names none of them. They stand in
            `task` too.
    """

    task: str
    instructions: str
    apis: Mapping[str, str]
    candidates: Mapping[str, Sequence[str]] | None = None


def collect_manuals(tools: Mapping[str, Tool]) -> dict[str, str]:
    """Name -> signature and docstring, sorted."""
    return {name: tool.manual for name, tool in sorted(tools.items())}


def indent_manual(manual: str) -> str:
    """A manual as a prompt shows it."""
    usage, _, rest = manual.partition("\n")
    return "\n".join([usage, *(f"    {line}".rstrip() for line in rest.splitlines())])
