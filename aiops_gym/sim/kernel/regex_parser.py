"""Reads a regular expression of Go's, and says in its words where it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

DEEPEST = 60
"""Groups within groups; more is refused before Python's stack ends."""

MOST_REPEATS = 1_000
LAST = chr(0x10FFFF)
_CLASSES = {"d": "09", "w": "09AZ__az", "s": "\t\n\f\r  "}
_NAMED = {"alnum": "09AZaz", "alpha": "AZaz", "ascii": "\0\x7f", "blank": "\t\t  ", "cntrl": "\0\x1f\x7f\x7f"}
_NAMED |= {"digit": "09", "graph": "!~", "lower": "az", "print": " ~", "punct": "!/:@[`{~", "space": "\t\r  "}
_NAMED |= {"upper": "AZ", "word": "09AZ__az", "xdigit": "09AFaf"}
_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_COUNT = re.compile(r"\{([0-9]+)(,?)([0-9]*)\}")
_GROUP = re.compile(r"\(\?(?:P<([A-Za-z_0-9]+)>|([imsU]*)(-[imsU]+)?([:)]))")
_HEX = re.compile(r"x(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{2}))|([0-7]{1,3})")


class RegexError(ValueError):
    """A pattern that cannot be read."""


class Part(NamedTuple):
    """Of a pattern: a `set` of characters, `at` a place, `all` in a row, `any` of several, `group`, `repeat`."""

    kind: str
    parts: Sequence[Part] = ()
    ranges: str = ""
    negated: bool = False
    folded: bool = False
    name: str = ""
    number: int = 0
    least: int = 0
    most: int = -1
    greedy: bool = True

    def takes(self, char: str) -> bool:
        """Whether a character belongs to the set: pairs of a first and a last one."""
        chars = {char, char.lower(), char.upper()} if self.folded else (char,)
        pairs = range(0, len(self.ranges), 2)
        return any(self.ranges[i] <= each <= self.ranges[i + 1] for i in pairs for each in chars) != self.negated


def read(text: str) -> tuple[Part, list[str]]:
    """The pattern, and the names of its groups, the first of which is the whole. Raises RegexError."""
    reader = _Reader(f"^(?:{text})$")  # as Prometheus has Go read it; what is open at the end takes the bracket
    part = reader.choice(0)
    if reader.peek():
        raise RegexError(f"unexpected ): `{reader.text}`")
    return part, reader.names


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.names = text, 0, [""]
        self.flags = frozenset[str]()

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def choice(self, depth: int) -> Part:
        if depth > DEEPEST:
            raise RegexError("expression nests too deeply")
        branches, flags = [self.sequence(depth)], self.flags
        while self.peek() == "|":
            self.at += 1
            branches.append(self.sequence(depth))
        self.flags = flags
        return branches[0] if len(branches) == 1 else Part("any", branches)

    def sequence(self, depth: int) -> Part:
        parts = list[Part]()
        while self.peek() and self.peek() not in "|)":
            if self.peek() in "*+?":
                raise RegexError(f"missing argument to repetition operator: `{self.peek()}`")
            part = self.atom(depth)
            if part is not None:
                parts.append(self.repeated(part))
        return Part("all", parts)

    def repeated(self, part: Part) -> Part:
        start, times = self.at, 0
        while self.peek() and (self.peek() in "*+?" or _COUNT.match(self.text, self.at)):
            begin, char = self.at, self.peek()
            least, most = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}.get(char) or self.count()
            self.at += char != "{"
            greedy = ("U" in self.flags) == (self.peek() == "?")
            self.at += self.peek() == "?"
            times += 1
            if times > 1:
                raise RegexError(f"invalid nested repetition operator: `{self.text[start : self.at]}`")
            start = begin
            part = Part("repeat", (part,), least=least, most=most, greedy=greedy)
        return part

    def count(self) -> tuple[int, int]:
        found = _COUNT.match(self.text, self.at)
        assert found is not None  # looked at before
        least, many = found[1], found[3] or (found[1] if not found[2] else "-1")
        if len(least) > 4 or len(many) > 4 or not -1 <= int(many) <= MOST_REPEATS or int(least) > MOST_REPEATS:
            raise RegexError(f"invalid repeat count: `{found[0]}`")
        if int(many) >= 0 and int(many) < int(least):
            raise RegexError(f"invalid repeat count: `{found[0]}`")
        self.at = found.end()
        return int(least), int(many)

    def literal(self, ranges: str, negated: bool = False) -> Part:
        return Part("set", ranges=ranges, negated=negated, folded="i" in self.flags)

    def atom(self, depth: int) -> Part | None:
        char = self.peek()
        if char == "(":
            return self.group(depth)
        if char == "[":
            return self.set()
        if char == "\\":
            return self.escape()
        self.at += 1
        if char == ".":
            return self.literal("\0" + LAST if "s" in self.flags else "\0\t\x0b" + LAST)
        return Part("at", name=char) if char in "^$" else self.literal(char * 2)

    def group(self, depth: int) -> Part | None:
        flags, index, found = self.flags, 0, _GROUP.match(self.text, self.at)
        if self.text.startswith("(?", self.at) and found is None:
            if unnamed := re.compile(r"\(\?P<[^>]*>").match(self.text, self.at):
                raise RegexError(f"invalid named capture: `{unnamed[0]}`")
            raise RegexError(f"invalid or unsupported Perl syntax: `{self.text[self.at : self.at + 3]}`")
        self.at = found.end() if found else self.at + 1
        if found and found[4]:
            self.flags = (flags | frozenset(found[2])) - frozenset((found[3] or "")[1:])
            if found[4] == ")":
                return None
        else:
            index = len(self.names)
            self.names.append(found[1] if found else "")
        inner = self.choice(depth + 1)
        if self.peek() != ")":
            raise RegexError(f"missing closing ): `{self.text}`")
        self.at, self.flags = self.at + 1, flags
        return Part("group", (inner,), number=index) if index else inner

    def escape(self) -> Part:
        char = self.text[self.at + 1 : self.at + 2]
        if char in ("b", "B", "A", "z"):
            self.at += 2
            return Part("at", name={"A": "^", "z": "$"}.get(char, char))
        ranges, negated = self.escaped()
        return self.literal(ranges, negated)

    def escaped(self) -> tuple[str, bool]:
        """The characters of an escape, in a set or out of one."""
        char = self.text[self.at + 1 : self.at + 2]
        if not char:
            raise RegexError("trailing backslash at end of expression: ``")
        number = _HEX.match(self.text, self.at + 1)
        if number and not (number[3] and char in "1234567" and len(number[3]) == 1):
            self.at = number.end()
            return chr(min(int(number[1] or number[2] or number[3], 8 if number[3] else 16), 0x10FFFF)) * 2, False
        if char.lower() in _CLASSES:
            self.at += 2
            return _CLASSES[char.lower()], char.isupper()
        if (char.isascii() and char.isalnum() and char not in _CONTROLS) or not char.isascii():
            raise RegexError(f"invalid escape sequence: `\\{char}`")
        self.at += 2
        return _CONTROLS.get(char, char) * 2, False

    def set(self) -> Part:
        start = self.at
        self.at += 1
        negated = self.peek() == "^"
        self.at += negated
        ranges, first = "", True
        while first or self.peek() != "]":
            if not self.peek():
                raise RegexError(f"missing closing ]: `{self.text[start:]}`")
            ranges, first = ranges + self.item(), False
        self.at += 1
        return self.literal(ranges, negated)

    def item(self) -> str:
        """A named class, an escape, or a range."""
        if named := re.compile(r"\[:(\^?)(\w+):\]").match(self.text, self.at):
            if named[2] not in _NAMED:
                raise RegexError(f"invalid character class range: `{named[0]}`")
            self.at = named.end()
            return _negate(_NAMED[named[2]]) if named[1] else _NAMED[named[2]]
        begin = self.at
        low, negated = self.single()
        if len(low) > 2 or negated or not re.compile(r"-[^\]]").match(self.text, self.at):
            return _negate(low) if negated else low
        self.at += 1
        high, negated = self.single()
        if negated or len(high) > 2 or high[0] < low[0]:
            raise RegexError(f"invalid character class range: `{self.text[begin : self.at]}`")
        return low[0] + high[0]

    def single(self) -> tuple[str, bool]:
        if self.peek() == "\\":
            return self.escaped()
        self.at += 1
        return self.text[self.at - 1] * 2, False


def _negate(ranges: str) -> str:
    """All other characters."""
    found, low = "", "\0"
    for i in range(0, len(ranges), 2):
        if low < ranges[i]:
            found += low + chr(ord(ranges[i]) - 1)
        low = chr(ord(ranges[i + 1]) + 1)
    return found + low + LAST
