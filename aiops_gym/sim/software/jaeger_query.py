"""The parameters of Jaeger's HTTP API, read as version 1.57 reads them, and its words for what it cannot read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from aiops_gym.sim.kernel import jsontext
from aiops_gym.sim.kernel.digits import INT32, INT64, LONGEST
from aiops_gym.sim.kernel.times import HOUR
from aiops_gym.sim.telemetry.spans import ENDLESS, Tags, Wanted

Query = Mapping[str, Sequence[str]]

LOOK_BACK = 48 * HOUR
"""Milliseconds that a search without a start looks back."""

UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
PIECE = re.compile(r"(\d+\.?\d*|\.\d+)([^\d.]*)", re.ASCII)
PLACES = {
    "Expecting property name enclosed in double quotes": "looking for beginning of object key string",
    "Expecting ':' delimiter": "after object key",
    "Expecting ',' delimiter": "after object key:value pair",
    "Extra data": "after top-level value",
}
"""Where JSON is wrong, in Python's words and in Go's."""

FORMAT = ("internal.span.format", "jaeger")
"""The tag that the collector adds to each span."""

KINDS = {bool: "bool", int: "number", float: "number", list: "array", dict: "object", str: "string"}


class Wrong(Exception):
    """A parameter that is not understood."""


class Search(NamedTuple):
    """What is looked for: traces by their ids, or where none are given by what one of their spans is."""

    wanted: Wanted
    limit: int
    ids: Sequence[str]


def first(query: Query, name: str) -> str:
    """The value that counts where several are given, "" without one."""
    return query.get(name, ("",))[0]


def read_search(query: Query, now: int) -> Search:
    """What `/api/traces` asks for; `now` in ms. `lookback` is for the UI and says nothing here. Raises Wrong."""
    since = read_number(query, "start", (now - LOOK_BACK) * 1000)
    until = read_number(query, "end", now * 1000)
    tags = _read_tags(query)
    limit = parse_integer(first(query, "limit") or "100", INT32)
    least, most = (_named(parse_duration, query, name, 0) for name in ("minDuration", "maxDuration"))
    ids = [_named_id(text) for text in query.get("traceID", ())]
    if not ids and not first(query, "service"):
        raise Wrong("parameter 'service' is required")
    if least and most and most < least:
        raise Wrong("'maxDuration' should be greater than 'minDuration'")
    wanted = Wanted(first(query, "service"), first(query, "operation"), since=since, until=until, tags=tags)
    return Search(limit_duration(wanted, least, most), limit, ids)


def limit_duration(wanted: Wanted, least: int, most: int) -> Wanted:
    """The same with durations in nanoseconds, of which 0 asks for nothing."""
    return wanted._replace(least=-(-least // 1000), most=most // 1000 if most else ENDLESS)


def read_number(query: Query, name: str, usual: int) -> int:
    """A parameter that is a whole number. Raises Wrong."""
    return _named(parse_integer, query, name, usual)


def parse_integer(text: str, bound: int = INT64) -> int:
    """A whole number as Go reads it. Raises Wrong.

    >>> parse_integer("-7")
    -7
    """
    if not re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        raise Wrong(f"strconv.ParseInt: parsing {quote(text)}: invalid syntax")
    number = int(text) if len(text) <= LONGEST else bound
    if not -bound <= number < bound:
        raise Wrong(f"strconv.ParseInt: parsing {quote(text)}: value out of range")
    return number


def parse_duration(text: str) -> int:
    """Nanoseconds of a duration as Go reads it. Raises Wrong.

    >>> parse_duration("1h2.5ms"), parse_duration("-90us"), parse_duration("0")
    (3600002500000, -90000, 0)
    """
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return 0
    total = Decimal(0)
    while True:
        piece = PIECE.match(rest)
        if piece is None or len(piece[1]) > LONGEST:
            raise Wrong(f"time: invalid duration {quote(text)}")
        if not piece[2]:
            raise Wrong(f"time: missing unit in duration {quote(text)}")
        if piece[2] not in UNITS:
            raise Wrong(f"time: unknown unit {quote(piece[2])} in duration {quote(text)}")
        total += Decimal(piece[1]) * UNITS[piece[2]]
        rest = rest[piece.end() :]
        if total >= INT64:
            raise Wrong(f"time: invalid duration {quote(text)}")
        if not rest:
            return -int(total) if text.startswith("-") else int(total)


def parse_id(text: str) -> str:
    """The id of a trace, as traces carry it. Raises Wrong.

    >>> parse_id("ABC"), parse_id("0" * 16 + "00000000000000ff")
    ('0000000000000abc', '00000000000000ff')
    """
    if len(text) > 32:
        raise Wrong(f"TraceID cannot be longer than 32 hex characters: {text}")
    halves = [text[:-16], text[-16:]] if len(text) > 16 else [text]
    for half in halves:
        if not re.fullmatch(r"[0-9a-fA-F]+", half):
            raise Wrong(f"strconv.ParseUint: parsing {quote(half)}: invalid syntax")
    number = int(text, 16)
    return f"{number:032x}" if number >> 64 else f"{number:016x}"


def quote(text: str) -> str:
    """A text in quotes, as error texts have it."""
    return json.dumps(text, ensure_ascii=False)


def _named(parse: Callable[[str], int], query: Query, name: str, usual: int) -> int:
    text = first(query, name)
    if not text:
        return usual
    try:
        return parse(text)
    except Wrong as error:
        raise Wrong(f"unable to parse param '{name}': {error}") from None


def _named_id(text: str) -> str:
    try:
        return parse_id(text)
    except Wrong as error:
        raise Wrong(f"cannot parse traceID param: {error}") from None


def _read_tags(query: Query) -> Tags:
    """The tags of all `tag=key:value` and `tags={"key": "value"}`; of two for one key the later one."""
    found: dict[str, str] = {}
    for text in query.get("tag", ()):
        key, colon, value = text.partition(":")
        if not colon:
            raise Wrong(f"malformed 'tag' parameter, expecting key:value, received: {text}")
        found[key] = value
    for text in query.get("tags", ()):
        try:
            found |= _texts(text)
        except Wrong as error:
            raise Wrong(f"malformed 'tags' parameter, cannot unmarshal JSON: {error}") from None
    return tuple(pair for pair in found.items() if pair != FORMAT)


def _texts(text: str) -> dict[str, str]:
    """A JSON object whose values are texts. Raises Wrong in Go's words."""
    try:
        data = jsontext.load(text)
    except json.JSONDecodeError as error:
        if error.pos >= len(text) or "Unterminated" in error.msg:
            raise Wrong("unexpected end of JSON input") from None
        where = PLACES.get(error.msg, "looking for beginning of value")
        raise Wrong(f"invalid character '{text[error.pos]}' {where}") from None
    except ValueError as error:
        raise Wrong(str(error)) from None
    if not isinstance(data, dict | None):
        raise Wrong(f"json: cannot unmarshal {KINDS[type(data)]} into Go value of type map[string]string")
    for value in (data or {}).values():
        if not isinstance(value, str | None):
            raise Wrong(f"json: cannot unmarshal {KINDS[type(value)]} into Go value of type string")
    return {key: value or "" for key, value in (data or {}).items()}
