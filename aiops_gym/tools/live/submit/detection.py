"""The answer of Detection."""

from __future__ import annotations

from aiops_gym.tools.registry import Context, action
from aiops_gym.types import Result


@action
def submit(context: Context, has_anomaly: str) -> Result:
    """Submit your answer and end the episode.

    Args:
        has_anomaly: "Yes" if something is wrong with the application, "No" if it is healthy.
    """
    return Result("", final=True, answer=has_anomaly)
