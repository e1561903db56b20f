"""Texts as Go prints them: floats, runes, label sets."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal

from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.promql.series import Labels

_PLAIN = re.compile(r"[\w./:@=, -]*", re.ASCII).fullmatch
"""Most texts: nothing in them is written otherwise."""


def print_float(value: float, exponents: bool = False) -> str:
    """The shortest digits that give the value back; with `exponents` as the HTTP API has what is very large or small.

    >>> [print_float(each) for each in (1e6, 0.1, -0.0, math.inf, math.nan, 1e-7, 1e22)]
    ['1000000', '0.1', '-0', '+Inf', 'NaN', '0.0000001', '10000000000000000000000']
    >>> print_float(1.5e-7, exponents=True), print_float(1e22, exponents=True)
    ('1.5e-07', '1e+22')
    """
    text = repr(value)
    if "e" not in text and "n" not in text:
        return text.removesuffix(".0")
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    return text if exponents and not 1e-6 <= abs(value) < 1e21 else f"{Decimal(text):f}"


def print_number(value: float) -> str:
    """As Go's `%v`: exponents from 1e+06 on.

    >>> print_number(1e6), print_number(1234.5), print_number(0.00001), print_number(-3)
    ('1e+06', '1234.5', '1e-05', '-3')
    """
    if not value or not math.isfinite(value) or 1e-4 <= abs(value) < 1e6:
        return print_float(value)
    digits, _, exponent = f"{Decimal(repr(float(value))).normalize():e}".partition("e")
    return f"{digits}e{exponent[0]}{exponent[1:].zfill(2)}"


def quote_char(char: str) -> str:
    """As Go's `%q` of a rune.

    >>> print(quote_char("'"), quote_char("$"))
    '\\'' '$'
    """
    return "'" + ("\\'" if char == "'" else '"' if char == '"' else go_quote(char)[1:-1]) + "'"


def print_labels(labels: Labels) -> str:
    """A label set as error texts show it.

    >>> print_labels((("__name__", "up"), ("job", "a")))
    '{__name__="up", job="a"}'
    """
    return "{" + ", ".join(f"{name}={go_quote(value)}" for name, value in labels) + "}"


def to_json(text: str) -> str:
    """A JSON string as Go's encoder writes it, who writes brackets and `&` in hexadecimal."""
    if _PLAIN(text):
        return f'"{text}"'
    found = json.dumps(text, ensure_ascii=False)
    return found.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
