"""The end of the repair."""

from __future__ import annotations

from aiops_gym.tools.registry import Context, action
from aiops_gym.types import Result


@action
def resolve(context: Context) -> Result:
    """Say that the incident is over. The system is judged as it is then, once and for all."""
    return Result("Resolved: the incident is closed. Write the report.", answer={})
