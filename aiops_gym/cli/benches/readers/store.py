"""The tool `get_traces` over the columnar store, as an agent's call does it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aiops_gym.openrca import domains
from aiops_gym.openrca.recording import Recording
from aiops_gym.tools import Context, run, toolbox
from aiops_gym.types import Call


class Reader:
    """All that a tool asks of its world.

    Args:
        csv: `ROOT/Bank/telemetry/DAY/trace/trace_span.csv`.
    """

    def __init__(self, csv: str) -> None:
        self.recording = Recording(domains.find("bank")[0], Path(csv).parents[3])

    def spend(self, seconds: float) -> None:
        """A bench has time of its own."""


def prepare(path: str) -> Any:
    """The day's recording, converted if it is not yet."""
    return Context(Reader(path)), toolbox("openrca_bank")


def call(state: Any, start: int, end: int, component: str | None) -> str:
    """One call of the tool."""
    context, tools = state
    arguments = (start, end) if component is None else (start, end, component)
    return run(Call("get_traces", arguments), tools, context).text
