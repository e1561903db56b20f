"""The answer of Mitigation: the system itself."""

from __future__ import annotations

from aiops_gym.tools.registry import Context, action
from aiops_gym.types import Result


@action
def submit(context: Context) -> Result:
    """Say that the repair is done, and end the episode. The system is then judged as you left it."""
    return Result("", final=True)
