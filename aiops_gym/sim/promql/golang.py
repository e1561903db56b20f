"""Texts as Go prints them: floats, quoted strings, label sets."""

from __future__ import annotations

import json
import math
from decimal import Decimal

from aiops_gym.sim.promql.series import Labels

_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
_ESCAPES |= {'"': '\\"', "\\": "\\\\"}


def print_float(value: float, exponents: bool = False) -> str:
    """The shortest digits that give the value back; with `exponents` as the HTTP API has what is very large or small.

    >>> [print_float(each) for each in (1e6, 0.1, -0.0, math.inf, math.nan, 1e-7, 1e22)]
    ['1000000', '0.1', '-0', '+Inf', 'NaN', '0.0000001', '10000000000000000000000']
    >>> print_float(1.5e-7, exponents=True), print_float(1e22, exponents=True)
    ('1.5e-07', '1e+22')
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    text = repr(value)
    if exponents and value and not 1e-6 <= abs(value) < 1e21:
        return text if "e" in text else f"{Decimal(text):e}"
    return text.removesuffix(".0") if "e" not in text else f"{Decimal(text):f}"


def quote(text: str) -> str:
    r"""As Go's `%q` and `strconv.Quote`.

    >>> print(quote('a"b\n'), quote("é\x01"))
    "a\"b\n" "é\x01"
    """
    return '"' + "".join(_quoted(char) for char in text) + '"'


def _quoted(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable() or char == " ":
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quote_char(char: str) -> str:
    """As Go's `%q` of a rune.

    >>> print(quote_char("'"), quote_char("$"))
    '\\'' '$'
    """
    return "'" + ("\\'" if char == "'" else '"' if char == '"' else _quoted(char)) + "'"


def print_labels(labels: Labels) -> str:
    """A label set as error texts show it.

    >>> print_labels((("__name__", "up"), ("job", "a")))
    '{__name__="up", job="a"}'
    """
    return "{" + ", ".join(f"{name}={quote(value)}" for name, value in labels) + "}"


def to_json(text: str) -> str:
    """A JSON string as Go's encoder writes it, who writes brackets and `&` in hexadecimal."""
    found = json.dumps(text, ensure_ascii=False)
    return found.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
