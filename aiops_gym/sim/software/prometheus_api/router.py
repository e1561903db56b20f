"""Which part of the HTTP API answers a path."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from aiops_gym.sim.alerts.source import Ruled
from aiops_gym.sim.promql.errors import QueryError
from aiops_gym.sim.software.prometheus_api import facts, queries, rules
from aiops_gym.sim.software.prometheus_api.output import write_bad, write_good
from aiops_gym.sim.software.prometheus_api.parameters import Query

STATUS = {"bad_data": 400, "execution": 422}
"""HTTP's status of each kind of error."""

PAGE = '<!DOCTYPE html>\n<html lang="en"><head><title>Prometheus Time Series Collection</title></head></html>\n'
PLAIN = {"/": PAGE, "/graph": PAGE}
PLAIN |= {f"/-/{word.lower()}": f"Prometheus Server is {word}.\n" for word in ("Ready", "Healthy")}
MISSING = "404 page not found\n"

_VALUES = re.compile(r"/api/v1/label/([^/]+)/values")


def answer(source: Ruled, now: int, path: str) -> tuple[int, str]:
    """Status and body for a path with its query.

    Args:
        source: of the series, with the rules.
        now: ms.
        path: a form that was sent by POST stands in its query, too.
    """
    where, _, text = path.partition("?")
    if where in PLAIN:
        return 200, PLAIN[where]
    asked = parse_qs(text, keep_blank_values=True)
    try:
        found = _answer(source, now, where, asked)
    except QueryError as error:
        return STATUS[error.kind], write_bad(error.kind, str(error))
    return (404, MISSING) if found is None else (200, write_good(found))


def _answer(source: Ruled, now: int, where: str, asked: Query) -> str | None:
    if label := _VALUES.fullmatch(where):
        return queries.list_values(source, now, asked, label[1])
    if where in queries.ROUTES:
        return queries.ROUTES[where](source, now, asked)
    if where in rules.ROUTES:
        return rules.ROUTES[where](source, asked)
    return facts.write(source, now, where, asked) if where in facts.ROUTES else None
