"""The answer of root cause analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.openrca.answers import normalise
from aiops_gym.tools.registry import Context, action
from aiops_gym.types import Result

Several = dict[str, Any] | list[Any]


@action
def submit(
    context: Context,
    component: str | Several | None = None,
    reason: str | None = None,
    timestamp: str | int | float | None = None,
    path: list[str] | None = None,
) -> Result:
    """Submit your answer and end the episode. What is not asked for may be left out.

    Args:
        component: the root cause component; or a dict with the keys "root cause component", "root cause reason" and
            "root cause occurrence datetime"; or, for several failures, a dict of such dicts by number.
        reason: the root cause reason.
        timestamp: when it began, `YYYY-MM-DD HH:MM:SS` in UTC+8.
        path: how the failure spread, components from the root cause on. It is reported, and worth nothing.
    """
    if isinstance(component, Mapping | list | tuple) and reason is None and timestamp is None and path is None:
        return Result("", final=True, answer=normalise((component,), {}))
    given = {"component": component, "reason": reason, "timestamp": timestamp, "path": path}
    return Result("", final=True, answer=normalise((), given))
