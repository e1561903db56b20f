"""Whether two answers of the HTTP API are the same."""

from __future__ import annotations

import json
import math
from typing import Any

NEAR = 1e-9
"""How far two values may be from each other, of the larger one."""

Reply = tuple[int, Any]
"""Status and parsed body."""


def differ(query: str, wanted: Reply, found: Reply) -> str:
    """What is not the same, or nothing."""
    if wanted[0] != found[0]:
        return f"wanted {_short(wanted[1])}\n    found  {_short(found[1])}"
    if wanted[0] == 400 and found[1]["error"].endswith(wanted[1]["error"]) and "parameter" not in wanted[1]["error"]:
        return ""  # 2.42 does not say in a range query which parameter it was
    if wanted[0] != 200 or "result" not in wanted[1]["data"]:
        return "" if wanted[1] == found[1] else f"wanted {_short(wanted[1])}\n    found  {_short(found[1])}"
    one, other = wanted[1]["data"], found[1]["data"]
    if one["resultType"] != other["resultType"]:
        return f"wanted a {one['resultType']}, found a {other['resultType']}"
    if one["resultType"] in ("scalar", "string"):
        return "" if _same_point(one["result"], other["result"]) else f"wanted {one['result']}, found {other['result']}"
    ordered = one["resultType"] == "matrix"
    rows, others = (list(map(_row, each["result"])) for each in (one, other))
    if query.startswith(("sort", "topk", "bottomk")) and not ordered:  # values in order, equal ones in any
        for (_, points), (_, mine) in zip(rows, others, strict=False):
            if not _same_point(points[0], mine[0]):
                return f"another order: wanted {points[0]}, found {mine[0]}"
    if not ordered:
        rows.sort(key=lambda row: row[0])
        others.sort(key=lambda row: row[0])
    if [row[0] for row in rows] != [row[0] for row in others]:
        lost = [row[0] for row in rows if row[0] not in {each[0] for each in others}]
        more = [row[0] for row in others if row[0] not in {each[0] for each in rows}]
        return f"{len(rows)} wanted, {len(others)} found; only wanted {lost[:3]}, only found {more[:3]}"
    for (labels, points), (_, mine) in zip(rows, others, strict=True):
        for point, my_point in zip(points, mine, strict=False):
            if not _same_point(point, my_point):
                return f"{labels}: wanted {point}, found {my_point}"
        if len(points) != len(mine):
            return f"{labels}: {len(points)} points wanted, {len(mine)} found"
    return ""


def _row(row: dict[str, Any]) -> tuple[str, list[Any]]:
    return json.dumps(row["metric"], sort_keys=True), row["values"] if "values" in row else [row["value"]]


def _same_point(one: Any, other: Any) -> bool:
    if one[0] != other[0]:
        return False
    try:
        a, b = float(one[1]), float(other[1])
    except ValueError:
        return bool(one[1] == other[1])
    return one[1] == other[1] or math.isclose(a, b, rel_tol=NEAR, abs_tol=1e-300) or (math.isnan(a) and math.isnan(b))


def _short(body: Any) -> str:
    return str(body)[:300]
