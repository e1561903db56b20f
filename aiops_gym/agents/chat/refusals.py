"""What it means that a server answers with something else than a completion."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

PASSING = frozenset({408, 409, 425, 429})
"""Status codes below 500 after which the same request may succeed; of those from 500 on, all but one do."""

NOT_IMPLEMENTED = 501

TOO_LARGE = 413

UNTOOLED = frozenset({400, 404, 405, 422, 500, NOT_IMPLEMENTED})
"""What servers answer that have no tools, or none for this model; one of them says 500."""

TOO_LONG = (
    "context_length",
    "context length",
    "context size",
    "context window",
    "maximum context",
    "maximum number of tokens",
    "too long",
    "too many tokens",
)
"""What servers say of a conversation that is longer than the model's window."""

SPENT = "insufficient_quota"
"""Said with the status of too many requests, but no waiting helps."""


def is_transient(status: int, body: bytes) -> bool:
    """Whether the same request may succeed later.

    >>> is_transient(429, b"slow down"), is_transient(521, b"")
    (True, True)
    >>> is_transient(429, b'{"error": {"code": "insufficient_quota"}}')
    False
    """
    if SPENT.encode() in body:
        return False
    return status in PASSING or (status >= 500 and status != NOT_IMPLEMENTED)


def is_too_long(status: int, body: bytes) -> bool:
    """Whether a shorter conversation may succeed.

    >>> is_too_long(400, b"This model's maximum context length is 4096 tokens."), is_too_long(400, b"no such field")
    (True, False)
    """
    said = body.decode("utf-8", "replace").lower()
    return status == TOO_LARGE or (status in (400, 422) and any(words in said for words in TOO_LONG))


def has_no_tools(status: int, body: bytes) -> bool:
    """Whether the same request may succeed without tools.

    >>> has_no_tools(400, b"gemma does not support tools"), has_no_tools(400, b"no such field"), has_no_tools(429, b"")
    (True, False, False)
    """
    return status in UNTOOLED and "tool" in body.decode("utf-8", "replace").lower()


def make_hint(status: int, headers: Mapping[str, str], path: str) -> str:
    """What else to say of a status; "" for nothing.

    >>> make_hint(307, {"location": "https://example.org/v1"}, "/v1"), make_hint(404, {}, "")
    (', moved to https://example.org/v1', '; most servers want a base_url that ends in /v1')
    """
    if 300 <= status < 400 and headers.get("location"):
        return f", moved to {headers['location']}"
    return "; most servers want a base_url that ends in /v1" if status in (404, 405) and not path.strip("/") else ""


def read_retry_after(headers: Any) -> float:
    """Seconds that an answer asks to wait: `Retry-After` as a number, or as a date against the server's own.

    >>> read_retry_after({"retry-after": "1.5"}), read_retry_after({}), read_retry_after({"retry-after": "soon"})
    (1.5, 0.0, 0.0)
    >>> read_retry_after({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT", "date": "Fri, 31 Dec 1999 23:59:49 GMT"})
    10.0
    """
    asked = headers.get("retry-after", "")
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(asked) - parsedate_to_datetime(headers.get("date", ""))).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return seconds if 0 < seconds < float("inf") else 0.0
