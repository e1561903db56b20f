"""The columnar store: the tool `get_traces` as an agent's call does it, and the data set's own `get_traces`."""

from __future__ import annotations

from typing import Any

from aiops_gym.cli.benches import spans
from aiops_gym.openrca import domains
from aiops_gym.openrca.recording import Recording
from aiops_gym.tools import Context, run, toolbox
from aiops_gym.types import Call


class Reader:
    """All that a tool asks of its world.

    Args:
        path: a CSV file of `spans.write`.
    """

    def __init__(self, path: str) -> None:
        there = spans.layout_of(path)
        domain = domains.find(there.domain)[0]
        self.recording = Recording(domain, spans.root_of(path, there) / there.folder)

    def spend(self, seconds: float) -> None:
        """A bench has time of its own."""


def prepare(path: str) -> Any:
    """The day's recording, converted if it is not yet."""
    reader = Reader(path)
    return Context(reader), toolbox(f"openrca_{reader.recording.domain.name}")


def call(state: Any, start: int, end: int, component: str | None) -> str:
    """One call of the tool."""
    context, tools = state
    arguments = (start, end) if component is None else (start, end, component)
    return run(Call("get_traces", arguments), tools, context).text


def frame(state: Any, start: int, end: int, component: str | None) -> Any:
    """All rows."""
    from aiops_gym.openrca.frame import read_frame  # noqa: PLC0415  # It brings pandas.

    recording = state[0].backend.recording
    return read_frame(recording.rows(recording.domain.table("get_traces"), start, end, component=component))
