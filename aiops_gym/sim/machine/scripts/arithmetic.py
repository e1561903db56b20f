"""`$(( ))`: integers with the operators of C, and assignments to variables.

>>> names = {"x": "5"}
>>> evaluate("x * 2 + 1 << 1", names.get, names.__setitem__)
22
>>> evaluate("x > 3 ? x += 2 : 0", names.get, names.__setitem__)
7
>>> names["x"], evaluate("-7 / 2 || 0x10", names.get, names.__setitem__)
('7', 1)
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from aiops_gym.sim.machine.scripts.parser import ScriptError

TOKEN = re.compile(
    r"\s*(0[xX][0-9a-fA-F]+|\d+|[A-Za-z_]\w*|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%<>=!~&|^?:(),])"
)
LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"|": operator.or_},
    {"^": operator.xor},
    {"&": operator.and_},
    {"==": operator.eq, "!=": operator.ne},
    {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt},
    {"<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63)},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": lambda a, b: _divided(a, b)[0], "%": lambda a, b: _divided(a, b)[1]},
)
"""Binary operators, those that bind least first."""

ASSIGN = re.compile(r"(<<|>>|[-+*/%&|^]?)=")
DEEPEST = 100
"""Parentheses inside one another, well within Python's own stack."""

Get = Callable[[str], str | None]
Set = Callable[[str, str], None]


def evaluate(text: str, get: Get, put: Set) -> int:
    """Value of an expression. Raises ScriptError."""
    tokens, at = list[str](), 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if match is None:
            raise ScriptError(f'arithmetic expression: expecting EOF: "{text}"')
        tokens.append(match[1])
        at = match.end()
    reader = _Reader(text, tokens, get, put)
    found = reader.assignment(True) if tokens else 0
    if reader.at < len(tokens):
        raise ScriptError(f'arithmetic expression: expecting EOF: "{text}"')
    return found


class _Reader:
    """Reads tokens and works them out on the way; what is not `live` is read only."""

    def __init__(self, text: str, tokens: list[str], get: Get, put: Set) -> None:
        self.text, self.tokens, self.get, self.put = text, tokens, get, put
        self.at = self.depth = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str) -> bool:
        found = self.peek() == wanted
        self.at += found
        return found

    def assignment(self, live: bool) -> int:
        name, sign = self.peek(), self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ""
        match = ASSIGN.fullmatch(sign)
        if not (match and (name[:1].isalpha() or name[:1] == "_")):
            return self.choice(live)
        self.at += 2
        found = self.assignment(live)
        if match[1] and live:
            found = _binary(match[1])(self.number(name), found)
        if live:
            self.put(name, str(_wrapped(found)))
        return _wrapped(found)

    def choice(self, live: bool) -> int:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ScriptError("arithmetic expression: expression recursion level exceeded")
        found = self.either(live)
        if self.take("?"):
            yes = self.assignment(live and bool(found))
            if not self.take(":"):
                raise ScriptError(f'arithmetic expression: expecting ":": "{self.text}"')
            no = self.choice(live and not found)
            found = yes if found else no
        self.depth -= 1
        return found

    def either(self, live: bool) -> int:
        found = self.both(live)
        while self.take("||"):
            other = self.both(live and not found)
            found = int(bool(found) or bool(other))
        return found

    def both(self, live: bool) -> int:
        found = self.level(0, live)
        while self.take("&&"):
            other = self.level(0, live and bool(found))
            found = int(bool(found) and bool(other))
        return found

    def level(self, index: int, live: bool) -> int:
        if index == len(LEVELS):
            return self.unary(live)
        found = self.level(index + 1, live)
        while (sign := self.peek()) in LEVELS[index]:
            self.at += 1
            other = self.level(index + 1, live)
            found = _wrapped(int(LEVELS[index][sign](found, other))) if live else 0
        return found

    def unary(self, live: bool) -> int:
        for sign, act in UNARY.items():
            if self.take(sign):
                return _wrapped(act(self.unary(live)))
        return self.primary(live)

    def primary(self, live: bool) -> int:
        token = self.peek()
        self.at += 1
        if token == "(":
            found = self.assignment(live)
            if not self.take(")"):
                raise ScriptError(f'arithmetic expression: expecting ")": "{self.text}"')
            return found
        if token[:1].isdigit():
            return _number(token)
        if token[:1].isalpha() or token[:1] == "_":
            return self.number(token)
        raise ScriptError(f'arithmetic expression: expecting primary: "{self.text}"')

    def number(self, name: str) -> int:
        found = (self.get(name) or "0").strip()
        if not re.fullmatch(r"[-+]?(0[xX][0-9a-fA-F]+|\d+)", found):
            raise ScriptError(f"Illegal number: {found}")
        return -_number(found[1:]) if found[0] == "-" else _number(found.removeprefix("+"))


UNARY: dict[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "!": lambda number: int(not number),
    "~": operator.invert,
}


def _number(text: str) -> int:
    if text[:2].lower() == "0x":
        return int(text, 16)
    return int(text, 8) if len(text) > 1 and text[0] == "0" and set(text) <= set("01234567") else int(text)


def _binary(sign: str) -> Callable[[int, int], int]:
    return next(level[sign] for level in LEVELS if sign in level)


def _divided(left: int, right: int) -> tuple[int, int]:
    """Quotient and rest, cut towards zero."""
    if right == 0:
        raise ScriptError("arithmetic expression: division by zero")
    whole = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return whole, left - whole * right


def _wrapped(number: int) -> int:
    """As 64 bits have it."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)
