"""The end of an incident."""

from __future__ import annotations

from aiops_gym.tools.registry import Context, action
from aiops_gym.types import Result


@action
def report(context: Context, text: str) -> Result:
    """Write the report of the incident, and end the episode.

    Args:
        text: what happened, why, and what was done.
    """
    return Result("", final=True, answer={"closed": "report", "text": text})
