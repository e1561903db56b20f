"""`$(( ))`: integers with the operators of C, and assignments to variables.

Reference: Bash manual, 6.5; POSIX, Shell Command Language, 2.6.4.

>>> names = {"x": "5"}
>>> evaluate("x * 2 + 1 << 1", names.get, names.__setitem__)
22
>>> evaluate("x > 3 ? x += 2 : 0", names.get, names.__setitem__)
7
>>> names["x"], evaluate("-7 / 2 || 0x10", names.get, names.__setitem__)
('7', 1)
>>> evaluate("2 ** 3 ** 2, x++ + 16#ff", names.get, names.__setitem__, bash=True), names["x"]
(262, '8')
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from aiops_gym.sim.machine.scripts.reader import ScriptError

_NUMBER = r"0[xX][0-9a-fA-F]+|\d+#[\w@]+|\d+"
TOKEN = re.compile(
    rf"\s*({_NUMBER}|[A-Za-z_]\w*|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\*\*|\+\+|--|[-+*/%<>=!~&|^?:(),\[\]])"
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

BINDING = {sign: (rank, act) for rank, level in enumerate(LEVELS) for sign, act in level.items()}
"""Binary operators with how much they bind."""

ASSIGN = re.compile(r"(<<|>>|[-+*/%&|^]?)=")
DEEPEST = 100
"""Parentheses inside one another, well within Python's own stack."""

MOST_INNER = 2_000
"""Expressions within the values of variables."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_"

Get = Callable[[str], str | None]
Set = Callable[[str, str], None]


def evaluate(text: str, get: Get, put: Set, bash: bool = False, inner: list[int] | None = None) -> int:
    """Value of an expression.

    Args:
        text: the expression, in which all else is expanded.
        get: value of a variable, or of an element written as `name[index]`.
        put: gives one a value.
        bash: whether it is bash's, where the value of a variable may be an expression.
        inner: of expressions within values: how deep, and how many there were.

    Raises:
        ScriptError: it is none.
    """
    tokens = _split(text)
    reader = _Reader(text, tokens, get, put, bash, inner or [0, 0])
    found = reader.sequence(True) if tokens else 0
    if reader.at < len(tokens):
        raise _wrong(text, "".join(tokens[reader.at :]), "syntax error in expression")
    return found


def _split(text: str) -> list[str]:
    """The words of an expression. Raises ScriptError."""
    tokens = TOKEN.findall(text)
    if "".join(tokens) == "".join(text.split()):
        return tokens
    at = 0
    while (match := TOKEN.match(text, at)) is not None:
        at = match.end()
    raise _wrong(text, text[at:].strip(), "invalid arithmetic operator")


def _wrong(text: str, token: str, what: str) -> ScriptError:
    return ScriptError(f'arithmetic expression: expecting EOF: "{text}"', f'{text}: {what} (error token is "{token}")')


class _Reader:
    """Reads tokens and works them out on the way; what is not `live` is read only."""

    def __init__(self, text: str, tokens: list[str], get: Get, put: Set, bash: bool, inner: list[int]) -> None:
        self.text, self.tokens, self.get, self.put, self.bash, self.inner = text, tokens, get, put, bash, inner
        self.at = self.depth = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str) -> bool:
        found = self.peek() == wanted
        self.at += found
        return found

    def missing(self, what: str) -> ScriptError:
        """The error of what should stand here."""
        token = "".join(self.tokens[self.at :]) or "".join(self.tokens[-1:])
        bash = f'{self.text}: syntax error: operand expected (error token is "{token}")'
        return ScriptError(f'arithmetic expression: expecting {what}: "{self.text}"', bash)

    def sequence(self, live: bool) -> int:
        found = self.assignment(live)
        while self.bash and self.take(","):
            found = self.assignment(live)
        return found

    def assignment(self, live: bool) -> int:
        before, name = self.at, self.name(live)
        match = ASSIGN.fullmatch(self.peek()) if name else None
        if not match:
            self.at = before
            return self.choice(live)
        self.at += 1
        found = self.assignment(live)
        if match[1] and live:
            found = _binary(match[1])(self.number(name), found)
        if live:
            self.put(name, str(_wrapped(found)))
        return _wrapped(found)

    def name(self, live: bool) -> str:
        """The variable or element that stands here, "" where there is none."""
        name = self.peek()
        if not (name[:1].isalpha() or name[:1] == "_"):
            return ""
        self.at += 1
        if not (self.bash and self.peek() == "["):
            return name
        start = self.at = self.at + 1
        depth = 1
        while depth and self.at < len(self.tokens):
            depth += {"[": 1, "]": -1}.get(self.peek(), 0)
            self.at += 1
        return f"{name}[{' '.join(self.tokens[start : self.at - 1])}]"

    def choice(self, live: bool) -> int:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ScriptError("arithmetic expression: expression recursion level exceeded")
        found = self.either(live)
        if self.take("?"):
            yes = self.sequence(live and bool(found))
            if not self.take(":"):
                raise self.missing('":"')
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

    def level(self, least: int, live: bool) -> int:
        found = self.power(live)
        while (known := BINDING.get(self.peek())) is not None and known[0] >= least:
            self.at += 1
            other = self.level(known[0] + 1, live)
            found = _wrapped(int(known[1](found, other))) if live else 0
        return found

    def power(self, live: bool) -> int:
        found = self.unary(live)
        if self.bash and self.take("**"):
            exponent = self.power(live)
            if exponent < 0:
                raise ScriptError("exponent less than 0", f"{self.text}: exponent less than 0")
            return _wrapped(pow(found, exponent, 1 << 64)) if live else 0
        return found

    def unary(self, live: bool) -> int:
        if (token := self.peek()) not in UNARY and token not in ("++", "--"):
            return self.primary(live)
        for sign, step in (("++", 1), ("--", -1)):
            if self.bash and self.peek() == sign and self.take(sign):
                before = self.at
                if name := self.name(live):
                    return self.step(name, step, live)
                self.at = before
                return self.unary(live)
        for sign, act in UNARY.items():
            if self.take(sign):
                return _wrapped(act(self.unary(live)))
        return self.primary(live)

    def step(self, name: str, step: int, live: bool) -> int:
        found = _wrapped(self.number(name) + step)
        if live:
            self.put(name, str(found))
        return found

    def primary(self, live: bool) -> int:
        if name := self.name(live):
            for sign, step in (("++", 1), ("--", -1)):
                if self.bash and self.take(sign):
                    return self.step(name, step, live) - step
            return self.number(name) if live else 0
        token = self.peek()
        self.at += 1
        if token == "(":
            found = self.sequence(live)
            if not self.take(")"):
                raise self.missing('")"')
            return found
        if token[:1].isdigit():
            return _number(token)
        self.at -= 1
        raise self.missing("primary")

    def number(self, name: str) -> int:
        found = (self.get(name) or "0").strip()
        if re.fullmatch(r"[-+]?(0[xX][0-9a-fA-F]+|\d+)", found):
            return -_number(found[1:]) if found[0] == "-" else _number(found.removeprefix("+"))
        if not self.bash:
            raise ScriptError(f"Illegal number: {found}")
        depth, count = self.inner
        if depth >= DEEPEST // 4 or count >= MOST_INNER:
            raise ScriptError("expression recursion level exceeded", f"{found}: expression recursion level exceeded")
        self.inner[:] = depth + 1, count + 1
        value = evaluate(found, self.get, self.put, True, self.inner)
        self.inner[0] = depth
        return value


UNARY: dict[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "!": lambda number: int(not number),
    "~": operator.invert,
}


def _number(text: str) -> int:
    if "#" in text:
        base, _, digits = text.partition("#")
        values = [DIGITS.index(each.lower() if int(base) <= 36 else each) for each in digits]
        if not 2 <= int(base) <= 64 or max(values) >= int(base):
            what = "value too great for base" if 2 <= int(base) <= 64 else "invalid arithmetic base"
            raise ScriptError("arithmetic expression", f'{text}: {what} (error token is "{text}")')
        return _wrapped(sum(value * int(base) ** place for place, value in enumerate(reversed(values))))
    if text[:2].lower() == "0x":
        return _wrapped(int(text, 16))
    if len(text) > 1 and text[0] == "0":
        if not set(text) <= set("01234567"):
            raise ScriptError("arithmetic expression", f'{text}: value too great for base (error token is "{text}")')
        return _wrapped(int(text, 8))
    return _wrapped(int(text[:30]))


def _binary(sign: str) -> Callable[[int, int], int]:
    return next(level[sign] for level in LEVELS if sign in level)


def _divided(left: int, right: int) -> tuple[int, int]:
    """Quotient and rest, cut towards zero."""
    if right == 0:
        raise ScriptError(
            "arithmetic expression: division by zero", f'{left}/{right}: division by 0 (error token is "0")'
        )
    whole = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return whole, left - whole * right


def _wrapped(number: int) -> int:
    """As 64 bits have it."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)
