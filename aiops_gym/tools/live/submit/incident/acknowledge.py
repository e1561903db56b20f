"""Taking the page."""

from __future__ import annotations

from aiops_gym.tools.registry import Context, action
from aiops_gym.types import Result


@action
def acknowledge(context: Context) -> Result:
    """Say that something is wrong and that you are on it. If nothing is, this is a false alarm."""
    return Result("Acknowledged: an incident is open.", answer={})
