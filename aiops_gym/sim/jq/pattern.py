"""Reads a regular expression as Oniguruma does in Perl's syntax, into steps for `regex`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

DEEPEST = 60
LONGEST = 20_000
"""Steps of a pattern."""

MOST_REPEATS = 100_000
Test = Callable[[str], bool]
Step = tuple[Any, ...]

_CLASSES: dict[str, Test] = {
    "d": str.isdecimal,
    "w": lambda c: c.isalnum() or c == "_",
    "s": str.isspace,
    "h": lambda c: c in "0123456789abcdefABCDEF",
}
_NAMED: dict[str, Test] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "ascii": str.isascii,
    "blank": lambda c: c in " \t",
    "cntrl": lambda c: c < " " or c == "\x7f",
    "digit": str.isdecimal,
    "graph": lambda c: c.isprintable() and not c.isspace(),
    "lower": str.islower,
    "print": str.isprintable,
    "punct": lambda c: not c.isalnum() and not c.isspace() and c.isprintable(),
    "space": str.isspace,
    "upper": str.isupper,
    "xdigit": _CLASSES["h"],
    "word": _CLASSES["w"],
}
_NAMED |= {"l": str.isalpha, "lu": str.isupper, "ll": str.islower, "n": str.isnumeric, "nd": str.isdecimal}
_NAMED |= {"p": _NAMED["punct"], "letter": str.isalpha}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
_COUNT = re.compile(r"\{(\d+)(,(\d*))?\}", re.ASCII)
_HEX = re.compile(r"x(?:\{([0-9a-fA-F]{1,8})\}|([0-9a-fA-F]{1,2}))|0([0-7]{0,2})")
_LOOKS = {"(?=": (False, False), "(?!": (False, True), "(?<=": (True, False), "(?<!": (True, True)}


class PatternError(ValueError):
    """What is wrong with a pattern, in Oniguruma's words."""


class Pattern:
    """A pattern, read.

    Attributes:
        steps: what to do: `take` a test, `fork` first second, `go`, `save` slot, `at` place,
            `look` steps behind negative, `back` group, `atomic` steps, `run` test least most greedy, `mark` slot,
            `moved` slot, `done`.
        names: of the groups, None for those without one.
        slots: how many places are kept.
    """

    def __init__(self, text: str, folded: bool, dotall: bool, extended: bool) -> None:
        self.text, self.at = text, 0
        self.flags = frozenset(sign for sign, on in (("i", folded), ("m", dotall), ("x", extended)) if on)
        self.names: list[str | None] = []
        self._marks = 0
        self.steps = [("save", 0), *self._choice(0), ("save", 1), ("done",)]
        if self._peek():
            raise PatternError("unmatched close parenthesis")
        self.slots = 2 * len(self.names) + 2 + self._marks
        if len(self.steps) > LONGEST:
            raise PatternError("too big number")

    def _peek(self, size: int = 1) -> str:
        return self.text[self.at : self.at + size]

    def _choice(self, depth: int) -> list[Step]:
        if depth > DEEPEST:
            raise PatternError("too deep nest level in regexp")
        flags, found = self.flags, self._row(depth)
        if self._peek() == "|":
            self.at += 1
            other = self._choice(depth + 1) if self._peek() not in ("", ")") else []
            found = [("fork", 1, len(found) + 2), *found, ("go", len(other) + 1), *other]
        self.flags = flags
        return found

    def _row(self, depth: int) -> list[Step]:
        found = list[Step]()
        while self._peek() and self._peek() not in "|)":
            if "x" in self.flags and (self._peek().isspace() or self._peek() == "#"):
                self.at += len(self.text[self.at :].partition("\n")[0]) if self._peek() == "#" else 1
                continue
            if self._peek() in "*+?":
                raise PatternError("target of repeat operator is not specified")
            found += self._repeated(self._atom(depth))
            if len(found) > LONGEST:
                raise PatternError("too big number")
        return found

    def _repeated(self, part: list[Step]) -> list[Step]:
        while self._peek() in ("*", "+", "?", "{"):
            sign = self._peek()
            if sign == "{":
                count = _COUNT.match(self.text, self.at)
                if count is None:
                    return part
                self.at = count.end()
                least = int(count[1])
                most = least if count[2] is None else int(count[3]) if count[3] else -1
                if max(least, most) > MOST_REPEATS:
                    raise PatternError("too big number")
                if 0 <= most < least:
                    raise PatternError("upper is smaller than lower in repeat range")
            else:
                self.at += 1
                least, most = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[sign]
            greedy, atomic = True, False
            if self._peek() == "?":
                greedy, self.at = False, self.at + 1
            elif self._peek() == "+" and sign != "{":
                atomic, self.at = True, self.at + 1
            part = self._repeat(part, least, most, greedy)
            part = [("atomic", [*part, ("done",)])] if atomic else part
        return part

    def _repeat(self, part: list[Step], least: int, most: int, greedy: bool) -> list[Step]:
        if len(part) == 1 and part[0][0] == "take":
            return [("run", part[0][1], least, most, greedy)]
        size = len(part)
        if size * max(least, most, 1) > LONGEST:
            raise PatternError("too big number")
        found = part * least
        if most < 0:
            self._marks += 1
            mark = -self._marks
            leave = size + 4
            fork = ("fork", 1, leave) if greedy else ("fork", leave, 1)
            return [*found, fork, ("mark", mark), *part, ("moved", mark), ("go", -(size + 3))]
        for left in range(most - least, 0, -1):
            leave = left * (size + 1)
            found += [("fork", 1, leave) if greedy else ("fork", leave, 1), *part]
        return found

    def _atom(self, depth: int) -> list[Step]:
        char = self._peek()
        if char == "(":
            return self._group(depth)
        if char == "[":
            return [("take", self._set())]
        if char == "\\":
            return self._escape()
        self.at += 1
        if char == ".":
            return [("take", (lambda c: True) if "m" in self.flags else (lambda c: c != "\n"))]
        if char in "^$":
            return [("at", "A" if char == "^" else "Z")]
        return [("take", self._literal(char))]

    def _literal(self, char: str) -> Test:
        if "i" in self.flags and char.lower() != char.upper():
            return (char.lower() + char.upper()).__contains__
        return char.__eq__

    def _group(self, depth: int) -> list[Step]:
        flags, text = self.flags, self.text
        for sign, (behind, negative) in _LOOKS.items():
            if text.startswith(sign, self.at):
                self.at += len(sign)
                return [("look", [*self._inner(depth), ("done",)], behind, negative)]
        if text.startswith("(?#", self.at):
            end = text.find(")", self.at)
            if end < 0:
                raise PatternError("end pattern in group")
            self.at = end + 1
            return []
        if text.startswith("(?>", self.at):
            self.at += 3
            return [("atomic", [*self._inner(depth), ("done",)])]
        if text.startswith("(?<", self.at) or text.startswith("(?P<", self.at):
            named = re.compile(r"\(\?<([A-Za-z_]\w*)>").match(text, self.at)
            if named is None:
                raise PatternError(f"invalid group name <{text[self.at + 3 :].partition('>')[0]}>")
            self.at = named.end()
            return self._capture(depth, named[1])
        if text.startswith("(?", self.at):
            option = re.compile(r"\(\?([imx]*)(?:-([imx]*))?([:)])").match(text, self.at)
            if option is None:
                raise PatternError("undefined group option" if len(text) > self.at + 2 else "end pattern in group")
            self.at = option.end()
            self.flags = (flags | frozenset(option[1])) - frozenset(option[2] or "")
            if option[3] == ")":
                return self._choice(depth + 1)  # to the end of the group around it
            found = self._inner(depth)
            self.flags = flags
            return found
        self.at += 1
        return self._capture(depth, None)

    def _capture(self, depth: int, name: str | None) -> list[Step]:
        self.names.append(name)
        number = len(self.names)
        return [("save", 2 * number), *self._inner(depth), ("save", 2 * number + 1)]

    def _inner(self, depth: int) -> list[Step]:
        found = self._choice(depth + 1)
        if self._peek() != ")":
            raise PatternError("end pattern with unmatched parenthesis")
        self.at += 1
        return found

    def _escape(self) -> list[Step]:
        char = self.text[self.at + 1 : self.at + 2]
        if char in tuple("bBAzZG"):
            self.at += 2
            return [("at", char)]
        if char == "k" or (char in tuple("123456789") and int(char) <= max(len(self.names), 9)):
            return self._reference(char)
        return [("take", self._escaped())]

    def _reference(self, char: str) -> list[Step]:
        if char != "k":
            self.at += 2
            if int(char) > len(self.names):
                raise PatternError("invalid backref number/name")
            return [("back", int(char), "i" in self.flags)]
        named = re.compile(r"\\k<(\w+)>").match(self.text, self.at)
        if named is None:
            raise PatternError("invalid backref number/name")
        if named[1] not in self.names:
            raise PatternError(f"undefined name <{named[1]}> reference")
        self.at = named.end()
        return [("back", self.names.index(named[1]) + 1, "i" in self.flags)]

    def _escaped(self) -> Test:
        """The characters of an escape, in a set or out of one."""
        char = self.text[self.at + 1 : self.at + 2]
        if not char:
            raise PatternError("end pattern at escape")
        number = _HEX.match(self.text, self.at + 1)
        if number:
            self.at = number.end()
            code = int(number[1] or number[2], 16) if number[3] is None else int(number[3] or "0", 8)
            return self._literal(chr(min(code, 0x10FFFF)))
        self.at += 2
        if char in "pP":
            return self._property(char == "P")
        if char.lower() in _CLASSES:
            test = _CLASSES[char.lower()]
            return _other(test) if char.isupper() else test
        return self._literal(_CONTROLS.get(char, char))

    def _property(self, negative: bool) -> Test:
        named = re.compile(r"\{(\^?)([\w ]+)\}").match(self.text, self.at)
        name = named[2].lower() if named else ""
        if named is None or name not in _NAMED:
            raise PatternError(f"invalid character property name {{{named[2] if named else ''}}}")
        self.at = named.end()
        test = _NAMED[name]
        return _other(test) if negative != bool(named[1]) else test

    def _set(self) -> Test:
        self.at += 1
        negated = self._peek() == "^"
        self.at += negated
        tests, chars, first = list[Test](), set[str](), True
        ranges = list[tuple[str, str]]()
        while first or self._peek() != "]":
            if not self._peek():
                raise PatternError(
                    "empty char-class" if first or self.text.endswith("[]") else "premature end of char-class"
                )
            if first and self._peek() == "]" and "]" not in self.text[self.at + 1 :]:
                raise PatternError("empty char-class")
            first = False
            if named := re.compile(r"\[:(\^?)(\w+):\]").match(self.text, self.at):
                if named[2] not in _NAMED:
                    raise PatternError("invalid POSIX bracket type")
                self.at, test = named.end(), _NAMED[named[2]]
                tests.append(_other(test) if named[1] else test)
            elif self._peek() == "[":
                tests.append(self._set())
            else:
                self._member(tests, chars, ranges)
        self.at += 1
        folded = "i" in self.flags

        def matches(c: str) -> bool:
            for each in (c, c.lower(), c.upper()) if folded else (c,):
                if each in chars or any(low <= each <= high for low, high in ranges) or any(t(each) for t in tests):
                    return not negated
            return negated

        return matches

    def _member(self, tests: list[Test], chars: set[str], ranges: list[tuple[str, str]]) -> None:
        low = self._single(tests)
        if low and self._peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("", "]"):
            self.at += 1
            high = self._single(tests)
            if high and high < low:
                raise PatternError("empty range in char class")
            ranges.append((low, high or low))
        elif low:
            chars.add(low)

    def _single(self, tests: list[Test]) -> str:
        """One character of a set; "" for an escape that means several."""
        char = self._peek()
        if char != "\\":
            self.at += 1
            return char
        sign = self.text[self.at + 1 : self.at + 2]
        if sign and (sign.lower() in _CLASSES or sign in "pP"):
            tests.append(self._escaped())
            return ""
        if number := _HEX.match(self.text, self.at + 1):
            self.at = number.end()
            return chr(int(number[1] or number[2], 16) if number[3] is None else int(number[3] or "0", 8))
        if not sign:
            raise PatternError("end pattern at escape")
        self.at += 2
        return "\b" if sign == "b" else _CONTROLS.get(sign, sign)


def _other(test: Test) -> Test:
    """All other characters."""
    return lambda char: not test(char)
