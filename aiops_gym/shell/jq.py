"""Whether a program of jq certainly ends soon: in time that grows with its input and no faster, from its text alone.

The interpreter's jq counts what it prints and how large a value gets, but not its steps: `range(1e9) | select(.<0)`
prints nothing and goes on. So what stays in the process is the part of the language in which nothing can go on:
paths, pipes, tests and the functions of `FUNCTIONS`, put together so that no two of them multiply what they emit.
Whatever else there is may be harmless too; it runs apart.
"""

from __future__ import annotations

import re

from aiops_gym import caches
from aiops_gym.shell.words import split_words

LONG = 2_000
MOST = 64
"""Times its input that a program may make of it."""

DEEPEST = 40
"""Brackets inside each other."""

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|\#[^\n]*)
    |(?P<text>(?:@\w+\s*)?"(?:[^"\\]|\\.)*")
    |(?P<field>\.[A-Za-z_]\w*|\.(?="))
    |(?P<every>\.\.)
    |(?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)
    |(?P<format>@[a-z]\w*)
    |(?P<word>\$?[A-Za-z_]\w*)
    |(?P<sign>//(?!=)|[=!<>]=|\.|[-+<>|,:;?()\[\]{}])
    """,
    re.VERBOSE | re.ASCII,
)

GROWING = {"to_entries": 4, "with_entries": 4, "tojson": 2, "tostring": 2, "ascii": 2, "split": 8, "explode": 8}
"""Functions whose results may be so many times as large as what they are given."""

FUNCTIONS = frozenset(GROWING) | split_words(
    """
    length utf8bytelength keys keys_unsorted values type not empty null true false arrays objects strings numbers
    booleans nulls scalars iterables min max unique sort reverse floor ceil round fabs tonumber from_entries
    ascii_downcase ascii_upcase any all first last has select map map_values startswith endswith add
    sort_by group_by unique_by min_by max_by
    """
)
"""Functions whose work grows with what they are given and no faster (but for the logarithm of a sort).

Others grow no faster either, but take 50 microseconds a member (`test` and `@csv`), or 10 (`ltrimstr` and `join`): of
the million that fit into what the interpreter grants a value, a minute.
"""

EACH = frozenset({"map", "map_values", "with_entries"})
"""Those that apply what they are told to each member, and so may be told what emits many values."""

FORMATS = {"@text": 2, "@json": 2, "@base64": 2, "@base64d": 1}

_END = ("", "")


class _Unknown(Exception):
    """What stands here may do anything."""


@caches.function(256, "looking through a jq program")
def is_linear(program: str) -> bool:
    """Whether the work of a program certainly grows with its input and no faster.

    >>> [is_linear(each) for each in (".items[].metadata.name", '.a[] | select(.b == "c") | "\\\\(.d)/\\\\(.e)"')]
    [True, True]
    >>> programs = ("def f: f; f", "[range(1e9)] | length", ".[] * .[]", "[.,.]|[.,.]|[.,.]|[.,.]" * 3)
    >>> [is_linear(each) for each in programs]
    [False, False, False, False]
    """
    try:
        return len(program) <= LONG and _Reader(program).whole() <= MOST
    except _Unknown:
        return False


class _Reader:
    """Reads a program. Each method returns how many times its input it makes at most, and if it emits many values."""

    def __init__(self, program: str, depth: int = 0) -> None:
        self._tokens = _tokens(program)
        self._at = 0
        self._depth = depth
        if depth > DEEPEST:
            raise _Unknown

    def whole(self) -> int:
        """The factor of the whole text."""
        factor, _ = self._pipe()
        self._expect(*_END)
        return factor

    def single(self) -> int:
        """The factor of a text that emits one value."""
        factor, many = self._pipe()
        self._expect(*_END)
        return factor if not many else self._unknown()

    def _unknown(self) -> int:
        raise _Unknown

    def _next(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else _END

    def _take(self, *texts: str) -> bool:
        kind, text = self._next()
        if text in texts and kind in ("sign", "word"):
            self._at += 1
            return True
        return False

    def _expect(self, kind: str, text: str) -> None:
        if self._next() != (kind, text):
            raise _Unknown
        self._at += 1

    def _pipe(self) -> tuple[int, bool]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _Unknown
        factor, many = self._stage()
        while self._take("|"):
            more, several = self._stage()
            factor, many = factor * more, many or several
        self._depth -= 1
        return factor, many

    def _stage(self) -> tuple[int, bool]:
        """Expressions with commas and operators between them: side by side they add up, and never multiply.

        Not `-`, which compares each member of one array with each of another, nor `*`, which repeats texts.
        """
        factor, many = self._operand()
        while True:
            if self._take(","):
                more, _ = self._operand()
                factor, many = factor + more, True
            elif self._take("+", "==", "!=", "<", ">", "<=", ">=", "and", "or", "//"):
                more, several = self._operand()
                if many or several:
                    raise _Unknown
                factor += more
            else:
                return factor, many

    def _operand(self) -> tuple[int, bool]:
        self._take("-")
        factor, many = self._term()
        while True:
            kind, text = self._next()
            if kind == "field":
                self._field(text)
            elif text == "?" and kind == "sign":
                self._at += 1
            elif text == "[" and kind == "sign":
                many = self._index() or many
            elif text == "." and kind == "sign":
                self._at += 1
                if self._next() != ("sign", "["):
                    raise _Unknown
            else:
                return factor, many

    def _field(self, text: str) -> None:
        self._at += 1
        if text == ".":
            kind, name = self._next()
            if kind != "text" or "\\(" in name:
                raise _Unknown
            self._at += 1

    def _index(self) -> bool:
        """`[]`, which emits many values, or an index or slice of constants."""
        self._at += 1
        if self._take("]"):
            return True
        while not self._take("]"):
            kind, text = self._next()
            if kind == "number" or text in (":", "-") or (kind == "text" and "\\(" not in text):
                self._at += 1
            else:
                raise _Unknown
        return False

    def _term(self) -> tuple[int, bool]:
        kind, text = self._next()
        self._at += 1
        if kind == "field":
            self._at -= 1
            self._field(text)
            return 1, False
        if kind == "text":
            return self._text(text), False
        if kind == "format":
            return FORMATS.get(text) or self._unknown(), False
        if kind == "word":
            return self._word(text)
        if kind == "number" or text == ".":
            return 1, False
        if text == "(":
            found = self._pipe()
            self._expect("sign", ")")
            return found
        if text == "[":
            return self._array(), False
        if text == "{":
            return self._object(), False
        raise _Unknown

    def _array(self) -> int:
        if self._take("]"):
            return 1
        factor, _ = self._pipe()
        self._expect("sign", "]")
        return factor + 1

    def _object(self) -> int:
        factor = 1
        while not self._take("}"):
            kind, text = self._next()
            self._at += 1
            if kind not in ("word", "text") or "\\(" in text:
                raise _Unknown
            if self._take(":"):
                more, many = self._operand()
                if many:
                    raise _Unknown
                factor += more
            else:
                factor += 1
            if not self._take(",") and self._next() != ("sign", "}"):
                raise _Unknown
        return factor

    def _text(self, text: str) -> int:
        """A string; what is inserted into it is read for itself."""
        head, _, body = text.partition('"')
        each = FORMATS.get(head.strip(), 0) if head else 2
        if not each:
            raise _Unknown
        return 1 + sum(each * _Reader(inner, self._depth + 1).single() for inner in _inserted(body[:-1]))

    def _word(self, name: str) -> tuple[int, bool]:
        if name == "if":
            return self._condition()
        if name in ("env", "$ENV"):
            raise _Unknown  # the interpreter's own has what is not exported, and what it keeps for itself
        if name == "now" or name.startswith("$"):
            return 1, False  # a variable that was handed in: `as`, which makes others, is not read here
        if name not in FUNCTIONS:
            raise _Unknown
        factor = GROWING.get(name, 1)
        if not self._take("("):
            return factor, False
        more, many = self._pipe()
        self._expect("sign", ")")
        if many and name not in EACH:
            raise _Unknown
        return factor * (more + 1), False

    def _condition(self) -> tuple[int, bool]:
        factor, many = self._pipe()
        if many:
            raise _Unknown
        self._expect("word", "then")
        most, emits = self._pipe()
        while self._take("elif"):
            more, many = self._pipe()
            self._expect("word", "then")
            other, several = self._pipe()
            if many:
                raise _Unknown
            factor, most, emits = factor + more, most + other, emits or several
        if self._take("else"):
            other, several = self._pipe()
            most, emits = most + other, emits or several
        self._expect("word", "end")
        return factor + most, emits


def _tokens(program: str) -> list[tuple[str, str]]:
    """The tokens, with `..` read as `.[]`, which emits many values as well."""
    found = [token for token in _spelled(program) if token[0] != "space"]
    if found.count(("every", "..")) > 1:
        raise _Unknown  # once it emits what a tree holds; twice, what trees of trees hold
    spelled = list[tuple[str, str]]()
    for kind, text in found:
        spelled += [("sign", "."), ("sign", "["), ("sign", "]")] if kind == "every" else [(kind, text)]
    return spelled


def _spelled(program: str) -> list[tuple[str, str]]:
    found, at = list[tuple[str, str]](), 0
    while at < len(program):
        match = _TOKEN.match(program, at)
        if match is None or match.lastgroup is None:
            raise _Unknown
        text, kind = match[0], match.lastgroup
        if kind == "text":
            text = _string(program, at, text)
        found.append((kind, text))
        at += len(text)
    return found


def _string(program: str, at: int, text: str) -> str:
    """A string with all that is inserted into it, in which there may be strings again."""
    start = at + text.index('"')
    index, open_ = start + 1, list[str]()
    while index < len(program):
        sign = program[index]
        if sign == "\\" and not (open_ and open_[-1] == "("):
            if program[index + 1 : index + 2] == "(":
                open_.append("(")
            index += 1
        elif sign == '"':
            if not open_:
                return program[at : index + 1]
            open_.pop() if open_[-1] == '"' else open_.append('"')
        elif open_ and open_[-1] == "(" and sign in "()":
            open_.append("(") if sign == "(" else open_.pop()
        index += 1
    raise _Unknown


def _inserted(body: str) -> list[str]:
    """What stands in `\\( )`."""
    found, index = list[str](), 0
    while index < len(body):
        if body[index] == "\\":
            if body[index + 1 : index + 2] == "(":
                inner = _bracketed(body, index + 2)
                found.append(inner)
                index += len(inner) + 2
            else:
                index += 1
        index += 1
    return found


def _bracketed(body: str, start: int) -> str:
    depth, index, quoted = 1, start, False
    while index < len(body):
        sign = body[index]
        if quoted and sign == "\\":
            if body[index + 1 : index + 2] == "(":
                raise _Unknown  # a string with an insertion inside an insertion
            index += 1
        elif sign == '"':
            quoted = not quoted
        elif not quoted and sign in "()":
            depth += 1 if sign == "(" else -1
            if not depth:
                return body[start:index]
        index += 1
    raise _Unknown
