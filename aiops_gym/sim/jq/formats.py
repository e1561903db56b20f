"""`@csv` and its like: texts of values for other languages."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from urllib.parse import quote

from aiops_gym.sim.jq.errors import JqError
from aiops_gym.sim.jq.machine import CHARACTERS, Run
from aiops_gym.sim.jq.values import told, weigh, write, write_number
from aiops_gym.types import Json

_HTML = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;", "'": "&apos;", '"': "&quot;"})
_PLAIN = str.maketrans("+/", "aa")
_TSV = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def to_json(run: Run, value: Json) -> str:
    """A value as JSON in one line; what it shares is written each time, and counted."""
    if isinstance(value, list | dict):
        run.charge(weigh(value, 2 * run.left + 2))
    text = write(value)
    run.charge(len(text) // CHARACTERS)
    return text


def to_text(run: Run, value: Json) -> str:
    """A text as it is, other values as JSON."""
    return value if isinstance(value, str) else to_json(run, value)


def _row(run: Run, value: Json, name: str, text: Callable[[str], str], separator: str) -> str:
    if not isinstance(value, list):
        raise JqError(f"{told(value)} cannot be {name}-formatted, only array")
    cells = list[str]()
    for each in value:
        if isinstance(each, list | dict):
            raise JqError(f"{told(each)} is not valid in a csv row")
        if isinstance(each, str):
            cells.append(text(each))
        elif each is None or each != each:  # noqa: PLR0124
            cells.append("")
        else:
            cells.append(write_number(each) if not isinstance(each, bool) else write(each))
    return separator.join(cells)


def _csv(run: Run, value: Json) -> str:
    return _row(run, value, "csv", lambda text: '"' + text.replace('"', '""') + '"', ",")


def _tsv(run: Run, value: Json) -> str:
    return _row(run, value, "tsv", lambda text: text.translate(_TSV), "\t")


def _sh(run: Run, value: Json) -> str:
    words = list[str]()
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, list | dict):
            raise JqError(f"{told(each)} can not be escaped for shell")
        words.append("'" + each.replace("'", "'\\''") + "'" if isinstance(each, str) else write(each))
    return " ".join(words)


def _base64d(run: Run, value: Json) -> str:
    text = to_text(run, value)
    data = text.rstrip("=")
    if len(data) % 4 == 1 and data.translate(_PLAIN).isalnum():
        raise JqError(f"{told(text)} trailing base64 byte found")
    try:
        found = base64.b64decode(data + "=" * (-len(data) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise JqError(f"{told(text)} is not valid base64 data") from None
    return found.decode(errors="replace")


def _base32d(run: Run, value: Json) -> str:
    text = to_text(run, value)
    data = text.rstrip("=")
    try:
        return base64.b32decode(data + "=" * (-len(data) % 8)).decode(errors="replace")
    except (binascii.Error, ValueError):
        raise JqError(f"{told(text)} is not valid base32 data") from None


FORMATS: dict[str, Callable[[Run, Json], str]] = {
    "text": to_text,
    "json": to_json,
    "csv": _csv,
    "tsv": _tsv,
    "html": lambda run, value: to_text(run, value).translate(_HTML),
    "uri": lambda run, value: quote(to_text(run, value), safe="~!*'()", errors="replace"),
    "sh": _sh,
    "base64": lambda run, value: base64.b64encode(to_text(run, value).encode(errors="replace")).decode(),
    "base64d": _base64d,
    "base32": lambda run, value: base64.b32encode(to_text(run, value).encode(errors="replace")).decode(),
    "base32d": _base32d,
}
