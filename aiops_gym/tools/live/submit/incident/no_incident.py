"""The end of a page that meant nothing."""

from __future__ import annotations

from aiops_gym.tools.registry import Context, action
from aiops_gym.types import Result


@action
def no_incident(context: Context) -> Result:
    """Say that nothing is wrong, or not any more, and end the episode."""
    return Result("", final=True, answer={"closed": "no_incident", "text": ""})
