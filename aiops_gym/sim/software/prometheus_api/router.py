"""Which part of the HTTP API answers a path."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from aiops_gym.sim.promql.errors import QueryError
from aiops_gym.sim.promql.series import Source
from aiops_gym.sim.software.prometheus_api import queries
from aiops_gym.sim.software.prometheus_api.output import write_bad, write_good

STATUS = {"bad_data": 400, "execution": 422}
"""HTTP's status of each kind of error."""

_VALUES = re.compile(r"/api/v1/label/([^/]+)/values")


def answer(source: Source, now: int, path: str) -> tuple[int, str] | None:
    """Status and body for a path with its query; None for what has nothing to do with series.

    Args:
        source: of the series.
        now: ms.
        path: a form that was sent by POST is its query, too.
    """
    where, _, text = path.partition("?")
    asked = parse_qs(text, keep_blank_values=True)
    label = _VALUES.fullmatch(where)
    if not label and where not in queries.ROUTES:
        return None
    try:
        if label:
            return 200, write_good(queries.list_values(source, now, asked, label[1]))
        return 200, write_good(queries.ROUTES[where](source, now, asked))
    except QueryError as error:
        return STATUS[error.kind], write_bad(error.kind, str(error))
