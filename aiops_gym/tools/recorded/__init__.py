"""The tools of recorded telemetry, computed from the tables of a domain: a new table needs no new module."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from aiops_gym.openrca import domains

if TYPE_CHECKING:
    from aiops_gym.openrca.model import Domain
    from aiops_gym.tools.registry import Tool


def toolbox(domain: Domain) -> Mapping[str, Tool]:
    """The tools of a domain by name: one a kind of table, two lists, three summaries, `browse` and `submit`."""
    from aiops_gym.tools.recorded import answer, browse, lists, summaries, tables  # noqa: PLC0415  # pyarrow.

    tools = (
        *tables.tools(domain),
        *lists.tools(domain),
        *summaries.tools(domain),
        *browse.tools(domain),
        answer.submit,
    )
    return {tool.name: tool for tool in tools}


def _box(name: str) -> Mapping[str, Tool]:
    return toolbox(domains.find(name)[0])


BOXES = {f"openrca_{name}": partial(_box, name) for name in domains.list_domains()}
"""Each domain's tools, computed when they are asked for."""
