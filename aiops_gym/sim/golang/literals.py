"""String literals as Go writes them (`strconv.Unquote`)."""

from __future__ import annotations

import re
from typing import Final

_SIMPLE: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_CODED: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3})")


def unquote(text: str, quote: str) -> str:
    """A Go string literal's text, without its quotes. Raises ValueError."""
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char != "\\":
            out.append(char)
            at += 1
            continue
        coded = _CODED.match(text, at)
        after = text[at + 1 : at + 2]
        if coded:
            body = coded[1]
            out.append(chr(int(body[1:], 16) if body[0] in "xuU" else int(body, 8)))
            at = coded.end()
        elif after in _SIMPLE and after:
            out.append(_SIMPLE[after])
            at += 2
        elif after == quote:
            out.append(quote)
            at += 2
        else:
            raise ValueError("invalid syntax")
    return "".join(out)


def go_quote(text: str) -> str:
    r"""A text as Go's %q writes it.

    >>> print(go_quote('a"b\n'))
    "a\"b\n"
    """
    plain = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\a": "\\a", "\b": "\\b"}
    plain |= {"\f": "\\f", "\v": "\\v"}
    if text.isalnum() and text.isascii():
        return f'"{text}"'
    shown = [plain.get(c) or (c if c.isprintable() else _escape(c)) for c in text]
    return '"' + "".join(shown) + '"'


def _escape(char: str) -> str:
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
