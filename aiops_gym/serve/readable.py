"""What went over the wire as text for people: tables as kubectl prints them, JSON with its lines, logs as they are."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from aiops_gym.serve import bodies
from aiops_gym.sim.kube_api.status import ApiError
from aiops_gym.types import Json


def format_request(body: bytes, media: str, method: str) -> str:
    """The body of a request, "" where there is none."""
    if not body:
        return ""
    try:
        return _indented(bodies.decode_body(body, media, method, ""))
    except (ApiError, TypeError):  # what is no JSON is shown as it came; what the server says of it, the answer tells
        return body.decode("utf-8", "replace")


def format_answer(body: bytes, media: str) -> str:
    """The body of an answer, or as much of a stream as there was."""
    text = body.decode("utf-8", "replace")
    if not media.startswith("application/json"):
        return text
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:  # lines of a watch
        return "\n".join(map(_event, body.splitlines()))
    if not isinstance(value, Mapping):
        return text
    return _event(body) if value.keys() == {"type", "object"} else _told(value)


def _event(line: bytes) -> str:
    """One line of a watch; the last one may have been cut short."""
    try:
        event = orjson.loads(line)
        kind, found = event["type"], event["object"]
    except (orjson.JSONDecodeError, TypeError, KeyError):
        return line.decode("utf-8", "replace")
    if found.get("kind") == "Table":
        return "\n".join(_rows(found))
    return f"{kind} {found.get('kind')}/{found.get('metadata', {}).get('name', '')}"


def _told(value: Mapping[str, Json]) -> str:
    kind = value.get("kind")
    if kind == "Table":
        return "\n".join(_rows(value)) or "No resources found."
    if kind == "Status" and value.get("status") == "Failure":
        return f"{value.get('reason', '')} ({value.get('code', '')}): {value.get('message', '')}"
    return _indented(value)


def _rows(table: Mapping[str, Json]) -> list[str]:
    """A Table's columns below each other; those that only `-o wide` shows are left out.

    >>> columns = [{"name": "Name", "priority": 0}, {"name": "IP", "priority": 1}]
    >>> _rows({"columnDefinitions": columns, "rows": [{"cells": ["geo", "10.0.0.1"]}]})
    ['NAME', 'geo']
    """
    columns = table.get("columnDefinitions") or []
    cells = [[str(cell) for cell in row["cells"]] for row in table.get("rows") or []]
    if columns and cells:
        shown = [at for at, column in enumerate(columns) if not column.get("priority")]
        cells = [[row[at] for at in shown] for row in ([column["name"].upper() for column in columns], *cells)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=False)]
    return ["   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip() for row in cells]


def _indented(value: Json) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
