"""What is wrong, and how users came to notice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aiops_gym.errors import ToolError
from aiops_gym.tools.registry import Context, action
from aiops_gym.types import Result

USAGE = (
    'Write diagnose(["cause"], [{"system_level": "your_layer", "fault_type": "your_kind"}], [["cause", "caller"]]) '
    "with the names of components, layers and kinds."
)


@action
def diagnose(context: Context, components: list[str], kinds: list[dict[str, str]], path: list[list[str]]) -> Result:
    """Say what is wrong and how users came to notice it. The last diagnosis counts.

    Args:
        components: names of the components in which a root cause lies.
        kinds: of each of them the keys `system_level` and `fault_type`.
        path: chains of components from a cause to those that users call, each one called by the next.
    """
    if not _holds(components, str) or not _holds(kinds, dict) or not _holds(path, list):
        raise ToolError(f"Error: diagnose: lists of names, of dictionaries and of chains are expected. {USAGE}")
    if not all(_holds(chain, str) for chain in path):
        raise ToolError(f"Error: diagnose: a chain is a list of names of components. {USAGE}")
    for kind in kinds:
        if set(kind) != {"system_level", "fault_type"} or not _holds(kind.values(), str):
            raise ToolError(f'Error: diagnose: a kind has the keys "system_level" and "fault_type". {USAGE}')
    return Result("Noted.", answer={"components": components, "kinds": kinds, "path": path})


def _holds(values: Iterable[Any], wanted: type) -> bool:
    return all(isinstance(value, wanted) for value in values)
