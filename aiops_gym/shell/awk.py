"""What an awk program may do besides printing, and whether it ends soon, from its text alone."""

from __future__ import annotations

import re

from aiops_gym import caches

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t]+|\\\n|\#[^\n]*)
    |(?P<text>"(?:[^"\\\n]|\\.)*")
    |(?P<word>[A-Za-z_]\w*|\d+(?:\.\d*)?|\.\d+)
    |(?P<sign>&&|\|\||[<>=!]=|\+\+|--|[-+*%^]=|[-+*%^<>=!~?:,;$|(){}\[\]\n])
    |(?P<slash>/)
    """,
    re.VERBOSE,
)
_REGEX = re.compile(r'/(?:[^/\\\["\n]|\\.)*/')
"""A regular expression without brackets, in which a slash could stand."""

OUTSIDE = frozenset({"getline", "system", "close", "fflush", "ARGV", "ARGC"})
ENDS = frozenset({";", "{", "}", "\n"})
GOES_ON = frozenset({",", "&&", "||"})
"""Signs after which a line break ends nothing."""

BEFORE_REGEX = frozenset({"print", "printf", "return", "in", "else", "do", "case", "exit", "delete"})
UNCLEAR = frozenset({"++", "--", "$"})
"""Signs after which a slash may divide or begin a regular expression."""


LOOPS = frozenset({"function", "func", "while", "do", "getline", "asort", "asorti"})
"""Words after which a program may go on for as long as it likes, or over everything at once."""

TARGETS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "^=", "++", "--"})
REGEX_SECOND = {"match": 1, "split": 2, "sub": 0, "gsub": 0, "gensub": 0}
"""Functions that take a regular expression, and which of their arguments it is."""

LONG = 1_000
MOST = 64
"""Times its size that a program may make of a record."""

TOO_MUCH = MOST + 1

SMALL = 100
"""Turns of a loop over constants, and fields that may be made of nothing."""

Tokens = list[tuple[str, str]]


@caches.function(256, "looking through an awk program")
def only_prints(program: str) -> bool:
    """Whether a program certainly neither writes a file, nor reads one that it names, nor starts another command.

    >>> only_prints('NR > 1 { if ($2 > 3) print $1 " > " ($3 > 4); sub(/a.*b/, "", name) }')
    True
    >>> [only_prints(f"{{ {each} }}") for each in ('print > "f"', 'print | "sh"', 'system("ls")', 'getline x < "f"')]
    [False, False, False, False]
    """
    depth = 0
    printing, last = False, ""
    tokens = _tokens(program)
    if tokens is None:
        return False
    for kind, text in tokens:
        if kind == "regex":
            last = ")"
            continue
        if text in OUTSIDE or text == "|" or (text == ">" and printing and depth <= 0):
            return False
        if text in ("print", "printf"):
            printing, depth = True, 0
        elif text in ENDS and not (text == "\n" and last in GOES_ON):
            printing = False
        elif kind == "sign":
            depth += (text in ("(", "[")) - (text in (")", "]"))
        last = text
    return True


@caches.function(256, "looking through an awk program")
def may_start(program: str) -> bool:
    """Whether a program may start other commands, in which there may be anything.

    >>> may_start('/a|b/ || $1 == "|"'), may_start('{print | "sort"}'), may_start('{system("ls")}')
    (False, True, True)
    """
    tokens = _tokens(program)
    return tokens is None or any(kind != "text" and text in ("|", "system") for kind, text in tokens)


@caches.function(256, "looking through an awk program")
def is_linear(program: str) -> bool:
    """Whether the work of a program certainly grows with its input and no faster.

    The interpreter counts the turns of each loop, the depth of calls and the size of strings, but neither turns inside
    turns, nor calls that call twice, nor what is copied again for each record.

    >>> [is_linear(each) for each in ("{print $2}", "NR > 1 && $4 > 5 {n[$1]++} END {for (k in n) print k, n[k]}")]
    [True, True]
    >>> [is_linear(f"{{ {each} }}") for each in ("while (1) x++", "s = s $0", "for (i = 1; i < 3; i--) x++")]
    [False, False, False]
    """
    tokens = _tokens(program) if len(program) <= LONG else None
    if tokens is None or any(text in LOOPS for kind, text in tokens if kind == "word"):
        return False
    tokens = [(kind, text) for kind, text in tokens if text != "\n"] if "\n" not in program.strip() else tokens
    kept = {name for at, (_, name) in enumerate(tokens) if _keeps(tokens, at)}
    loops = _loop_variables(tokens, kept)
    most = 1 if loops else MOST
    return loops is not None and _regexes_are_fixed(tokens) and _growth(tokens, loops, kept) <= most


def _loop_variables(tokens: Tokens, kept: set[str]) -> frozenset[str] | None:
    """The variables of the loops over fields or a few numbers; None where there are loops of other kinds.

    A loop over an array is one where it stands behind END, since before that it is run for each record.
    """
    found, ends, texts = set[str](), -1, [text for _, text in tokens]
    for at, text in enumerate(texts):
        if text != "for":
            continue
        close = _closing(texts, at + 1)
        header, body = texts[at + 2 : close], _closing(texts, close + 1)
        if at < ends or "for" in texts[close:body] or not _looks_at_its_own(tokens[close + 1 : body], header[0], kept):
            return None  # a loop in a loop, or over all of a record at each turn
        ends = body
        if len(header) == 3 and header[1] == "in":
            if "END" not in texts[:at]:
                return None
            found.add(header[0])
        elif _counts(header) and _assigned(texts, header[0]) == 2 * _headers(texts, header):
            found.add(header[0])
        else:
            return None
    return frozenset(found)


def _looks_at_its_own(body: Tokens, name: str, kept: set[str]) -> bool:
    """Whether what stands in a loop uses no more than one field, or one element, at each turn."""
    texts = [text for _, text in body]
    for at, (kind, text) in enumerate(body):
        if text == "$" and texts[at + 1 : at + 2] != [name]:
            return False
        if kind == "regex" and texts[at - 1] not in ("~", ","):
            return False
        if text in kept - {name} and texts[at + 1 : at + 4] != ["[", name, "]"]:
            return False
    return True


def _headers(texts: list[str], header: list[str]) -> int:
    """How many loops begin like this one; each assigns to its variable twice."""
    size = len(header)
    return sum(texts[at : at + size] == header for at in range(len(texts)))


def _counts(header: list[str]) -> bool:
    """Whether a loop counts up to the number of fields, or to a small number."""
    if len(header) != 10 and len(header) != 9:
        return False
    name, equals, first, stop, again, compare, last, stop2, *step = header
    bound = last == "NF" or (last.isdigit() and int(last) <= SMALL)
    same = name == again and equals == "=" and stop == stop2 == ";"
    return same and first.isdigit() and compare in ("<", "<=") and bound and sorted(step) == sorted([name, "++"])


def _assigned(texts: list[str], name: str) -> int:
    """How often a variable is assigned to."""
    pairs = list(zip(texts, [*texts[1:], ""], strict=True))
    after = sum(text == name and then in TARGETS for text, then in pairs)
    return after + sum(text in ("++", "--") and then == name for text, then in pairs)


def _closing(texts: list[str], start: int) -> int:
    """Where the bracket that stands here is closed; without a bracket, where the statement ends."""
    depth, index = 0, start
    bracketed = texts[start : start + 1] in (["("], ["{"])
    while index < len(texts):
        depth += (texts[index] in ("(", "{", "[")) - (texts[index] in (")", "}", "]"))
        if depth < 0 or (depth == 0 and (bracketed or texts[index] in (";", "\n"))):
            return index
        index += 1
    return index


def _regexes_are_fixed(tokens: Tokens) -> bool:
    """Whether every regular expression is written in the program, so that it is made ready but once."""
    for at, (_, text) in enumerate(tokens):
        if text == "~" and tokens[at + 1 : at + 2] and tokens[at + 1][0] not in ("regex", "text"):
            return False
        if text in REGEX_SECOND and tokens[at + 1 : at + 2] == [("sign", "(")]:
            texts = [each for _, each in tokens]
            close, commas, depth = _closing(texts, at + 1), [at + 1], 0
            for index in range(at + 2, close):
                depth += (texts[index] in ("(", "[")) - (texts[index] in (")", "]"))
                commas += [index] if texts[index] == "," and depth == 0 else []
            if len(commas) > REGEX_SECOND[text]:
                where = commas[REGEX_SECOND[text]] + 1
                alone = texts[where + 1 : where + 2] in ([","], [")"])
                if not alone or tokens[where][0] not in ("regex", "text"):
                    return False
    return True


def _growth(tokens: Tokens, loops: frozenset[str], kept: set[str]) -> int:
    """How many times its size a record becomes at most; too many where what is kept may grow with each."""
    factor, texts = 1, [text for _, text in tokens]
    for at, text in enumerate(texts):
        if text in ("sub", "gsub", "gensub"):
            close = _closing(texts, at + 1)
            arguments = tokens[at + 2 : close]
            new = arguments[2:3]
            field = [each for _, each in arguments[3:]]
            if len(arguments) < 3 or arguments[1][1] != "," or new[0][0] != "text" or texts[at + 1] != "(":
                return TOO_MUCH
            if field and (field[:2] != [",", "$"] or len(field) != 3 or not _near(field[2], loops)):
                return TOO_MUCH
            factor *= max(1, len(new[0][1]) - 2)
            continue
        last, before = texts[at - 1] if at else "", texts[at - 2] if at > 1 else ""
        if text == "=" or (text in TARGETS and before == "$"):
            right = texts[at + 1 : _closing(texts, at + 1)]
            if any(name in kept - loops for name in right):
                return TOO_MUCH
            if last == ")" or (before == "$" and not _near(last, loops)):
                return TOO_MUCH
            if before == "$":
                factor *= 1 + right.count("$")
            if last in ("NF", "FS", "RS", "OFS") and (len(right) != 1 or last == "NF"):
                return TOO_MUCH
    return factor


def _near(name: str, loops: frozenset[str]) -> bool:
    """Whether a field is one that there is, or one of the first."""
    return name in loops or name == "NF" or (name.isdigit() and int(name) <= SMALL)


def _keeps(tokens: Tokens, at: int) -> bool:
    """Whether the variable that stands here, or an element of it, is given a text."""
    kind, text = tokens[at]
    if kind != "word" or not (text[0].isalpha() or text[0] == "_") or text == "NF":
        return False
    texts = [each for _, each in tokens]
    after = at + 1
    if texts[after : after + 1] == ["["]:
        after = _closing_square(texts, after) + 1
    return texts[after : after + 1] == ["="] and (at == 0 or texts[at - 1] != "$")


def _closing_square(texts: list[str], start: int) -> int:
    depth = 0
    for index in range(start, len(texts)):
        depth += (texts[index] == "[") - (texts[index] == "]")
        if depth == 0:
            return index
    return len(texts)


def _tokens(program: str) -> Tokens | None:
    """The tokens of a program; None where it cannot be told which they are."""
    at, last, found = 0, "", Tokens()
    while at < len(program):
        token = _TOKEN.match(program, at)
        if token is None or token.lastgroup is None:
            return None
        at, text, kind = token.end(), token[0], token.lastgroup
        if kind == "space":
            continue
        if kind == "slash" and not _divides(last):
            whole = None if last in UNCLEAR else _REGEX.match(program, token.start())
            if whole is None:
                return None
            at, text, kind = whole.end(), whole[0], "regex"
        found.append((kind, text))
        last = ")" if kind == "regex" else text
    return found


def _divides(last: str) -> bool:
    """Whether a slash after this divides, and does not begin a regular expression."""
    return last in (")", "]") or (last not in BEFORE_REGEX and (last[-1:].isalnum() or last[-1:] in ("_", '"')))
