"""Settings of a chart: how they are given on a command line, and what comes of several layers of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy

from aiops_gym.helm.errors import HelmError
from aiops_gym.types import Json

MOST_ITEMS = 65_536
MOST_LEVELS = 30
TOO_DEEP = "value name nested level is greater than maximum supported nested level of"


def parse_set(text: str, values: dict[str, Json], *, words: bool = False) -> None:
    """Add what `--set` says to `values`; with `words` every value stays a text, as with `--set-string`.

    >>> values = {}
    >>> parse_set("a.b=1,a.c=x\\\\,y,list[1]=true,names={p,q},gone=null", values)
    >>> values
    {'a': {'b': 1, 'c': 'x,y'}, 'list': [None, True], 'names': ['p', 'q'], 'gone': None}
    """
    for part in _split(text, ","):
        if not part:
            continue
        halves = _split(part, "=", 1)
        if len(halves) < 2:
            raise HelmError(f'failed parsing --set data: key "{part}" has no value')
        value = halves[1]
        if value.startswith("{") and value.endswith("}"):
            inner = value[1:-1]
            found: Json = [_typed(item, words) for item in _split(inner, ",")] if inner else []
        else:
            found = _typed(value, words)
        _put(values, _path(halves[0]), found)


def _split(text: str, sign: str, most: int = -1) -> list[str]:
    """Parts between signs that are neither escaped nor in braces; the backslashes stay."""
    parts, part, depth, at = list[str](), "", 0, 0
    while at < len(text):
        char = text[at]
        if char == "\\" and at + 1 < len(text):
            part += text[at : at + 2]
            at += 2
            continue
        depth += (char == "{") - (char == "}")
        if char == sign and depth <= 0 and most != 0:
            parts.append(part)
            part, most = "", most - 1
        else:
            part += char
        at += 1
    return [*parts, part]


def _path(key: str) -> list[str | int]:
    steps: list[str | int] = []
    for part in _split(key, "."):
        name, *indices = re.split(r"(?<!\\)\[(\d+)\]", part)
        numbers = [int(index) for index in indices if index.isdigit()]
        if any(number > MOST_ITEMS for number in numbers):
            raise HelmError(f"failed parsing --set data: error parsing index: index of {part} is too large")
        steps += [_plain(name), *numbers]
        if len(steps) > MOST_LEVELS:
            raise HelmError(f"failed parsing --set data: {TOO_DEEP} {MOST_LEVELS}")
    return steps


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _typed(text: str, words: bool) -> Json:
    plain = _plain(text)
    if words:
        return plain
    if plain.lower() in ("true", "false"):
        return plain.lower() == "true"
    if plain.lower() == "null":
        return None
    if re.fullmatch(r"0|-?[1-9]\d{0,18}", plain):
        return int(plain)
    return plain


def _put(values: Json, path: list[str | int], value: Json) -> None:
    head, rest = path[0], path[1:]
    if isinstance(head, int):
        values += [None] * (head + 1 - len(values))
    if not rest:
        values[head] = value
        return
    kind: type = list if isinstance(rest[0], int) else dict
    inner = values.get(head) if isinstance(values, dict) else values[head]
    if not isinstance(inner, kind):
        inner = values[head] = kind()
    _put(inner, rest, value)


def merge_values(under: Mapping[str, Json], over: Mapping[str, Json]) -> dict[str, Json]:
    """Both layers, the second above the first; a null is a value like any other."""
    found = deepcopy(dict(under))
    for key, value in over.items():
        old = found.get(key)
        both = isinstance(value, Mapping) and isinstance(old, Mapping)
        found[key] = merge_values(old, value) if both and old is not None else deepcopy(value)
    return found


def coalesce_values(chart: Mapping[str, Json], given: Mapping[str, Json]) -> dict[str, Json]:
    """What a template sees: the chart's settings with those given above them; a given null takes a setting away.

    >>> coalesce_values({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": 3}})
    {'a': {'c': 2, 'd': 3}}
    """
    found = {}
    for key in {**chart, **given}:
        if key not in given:
            found[key] = deepcopy(chart[key])
        elif given[key] is None:
            if key not in chart:
                found[key] = None
        elif isinstance(given[key], Mapping) and isinstance(chart.get(key), Mapping):
            found[key] = coalesce_values(chart[key], given[key])
        else:
            found[key] = deepcopy(given[key])
    return found
