r"""How one text is written in YAML: plain, quoted or as a block, by the rules of Go's yaml.v2.

`format_string` gives what follows a key or a dash, with its leading blank; long texts are folded at blanks beyond
column 80.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Final

from aiops_gym import caches

WIDTH: Final = 80
INT64: Final = 1 << 63
_BOOLS: Final = ("y", "yes", "true", "on", "n", "no", "false", "off", "null")
_SPECIAL: Final = (
    ".nan",
    ".NaN",
    ".NAN",
    *(f"{sign}.{word}" for sign in ("", "+", "-") for word in ("inf", "Inf", "INF")),
)
_WORDS: Final = frozenset(("~", *_SPECIAL, *(form for w in _BOOLS for form in (w, w.capitalize(), w.upper()))))
_INT: Final = re.compile(r"[-+]?(0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|[1-9][0-9]*|0)\Z")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_GO_FLOAT: Final = re.compile(r"\.[0-9]+([eE][-+]?[0-9]+)?\Z")
_BASE60: Final = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")
_DAY: Final = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})"
    r"| ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?)?\Z"
)
_ODD: Final = re.compile("[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]")
_BREAKS: Final = re.compile("[\r\n\x85\u2028\u2029]")
_ESCAPES: Final = {
    0: "0", 7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 27: "e",
    34: '"', 92: "\\", 0x85: "N", 0xA0: "_", 0x2028: "L", 0x2029: "P",
}  # fmt: skip


def format_string(value: str, column: int, indent: int) -> str:
    """A text after a key or dash that ends at `column`; its further lines are `indent` deep."""
    style, room = _style(value)
    if style == "plain":
        if column + 1 + room <= WIDTH:
            return " " + value
        return " " + _plain(value, column + 1, indent)
    if style == "|":
        return " |" + _block(value, indent)
    if style == "'":
        return " " + _single(value, column + 2, indent)
    return " " + _double(value, column + 2, indent)


@caches.function(4096, "finding out whether a key needs quotes")
def format_key(name: str) -> str:
    """A key: on one line, quoted where it must be."""
    style, _ = _style(name)
    if style == "plain" and name and len(_BREAKS.split(name)) == 1:
        return name
    if style == "'":
        return "'" + name.replace("'", "''") + "'"
    return _double(name, -(1 << 30), 0)


def format_number(value: float) -> str:
    """A float as Go's %g writes it; whole numbers look like integers as long as 64 bits can hold them."""
    if value.is_integer() and -INT64 <= value < 2 * INT64:
        digits = format(Decimal(repr(value)), "f").removesuffix(".0")
        if -INT64 <= int(digits) < 2 * INT64:
            return digits
    return repr(value)


@caches.function(16384, "finding out how a text is written in YAML")
def _style(value: str) -> tuple[str, int]:
    """The style, and for a plain text the room it needs: its length, or 0 if it can never be folded."""
    wanted = "|" if "\n" in value else "plain" if _stays_text(value) else '"'
    plain, single, block = _allowed(value)
    if wanted == "plain" and not plain:
        wanted = "'"
    if wanted == "'" and not single:
        wanted = '"'
    if wanted == "|" and not block:
        wanted = '"'
    return wanted, len(value) if " " in value else 0


def _stays_text(value: str) -> bool:
    """Whether a plain scalar of this text is read back as text."""
    if not value or value in _WORDS:
        return False
    first = value[0]
    if first == ".":
        return not _GO_FLOAT.match(value.replace("_", ""))
    if first not in "+-0123456789":
        return True
    bare = value.replace("_", "")
    if _INT.match(bare) or _FLOAT.match(bare) or _is_time(value):
        return False
    return not (":" in value and _BASE60.match(value))


def _is_time(value: str) -> bool:
    found = _DAY.match(value)
    if found is None:
        return False
    year, month, day = (int(part) for part in found.group(1, 2, 3))
    try:
        date(year or 4, month, day)
    except ValueError:
        return False
    clock = [int(part) for part in found.groups()[3:] if part is not None]
    return not clock or (clock[0] < 24 and clock[1] < 60 and clock[2] < 60)


def _allowed(value: str) -> tuple[bool, bool, bool]:
    """Whether a text may be written plain, in single quotes, as a block."""
    if not value:
        return True, True, False
    edge = value[0] in " \n\r\x85\u2028\u2029" or value[-1] in " \n\r\x85\u2028\u2029"
    breaks = bool(_BREAKS.search(value))
    break_space = breaks and bool(re.search("[\r\n\x85\u2028\u2029] ", value))
    space_break = breaks and bool(re.search(" [\r\n\x85\u2028\u2029]", value))
    special = bool(_ODD.search(value))
    plain = not (edge or breaks or special or _indicates(value))
    single = not (break_space or space_break or special)
    block = not (value[-1] == " " or space_break or special)
    return plain, single, block


def _indicates(value: str) -> bool:
    """Whether something in the text means something to YAML outside of quotes."""
    if value.startswith(("---", "...")):
        return True
    if value[0] in "#,[]{}&*!|>'\"%@`":
        return True
    blank_next = len(value) == 1 or value[1] in " \t\n\r\x85\u2028\u2029"
    if value[0] in "?:-" and blank_next:
        return True
    if " #" in value or "\t#" in value:
        return True
    return ": " in value[1:] or value[1:].endswith(":") or ":\t" in value[1:]


def _plain(value: str, column: int, indent: int) -> str:
    return "".join(_folded(value, column, indent, guard=False))


def _single(value: str, column: int, indent: int) -> str:
    out: list[str] = []
    after_break = False
    for line, end in _lines(value):
        if line:
            if after_break:
                out.append(" " * indent)
                column = indent
            out += _folded(line.replace("'", "''"), column, indent, guard=True)
        if end:
            out.append("\n" + end if not after_break and end == "\n" else end)
            after_break = True
        else:
            after_break = False
    return "'" + "".join(out) + "'"


def _lines(value: str) -> list[tuple[str, str]]:
    parts = re.split("([\r\n\x85\u2028\u2029])", value)
    return list(zip(parts[::2], [*parts[1::2], ""], strict=True))


def _folded(text: str, column: int, indent: int, guard: bool) -> list[str]:
    """Break a line at single blanks beyond the width; `guard` keeps the first and last character unbroken."""
    out: list[str] = []
    spaces = False
    last = len(text) - 1
    for at, char in enumerate(text):
        if char == " ":
            if (
                not spaces
                and column > WIDTH
                and (not guard or 0 < at < last)
                and not (at < last and text[at + 1] == " ")
            ):
                out.append("\n" + " " * indent)
                column = indent
            else:
                out.append(char)
                column += 1
            spaces = True
        else:
            out.append(char)
            column += 1
            spaces = False
    return out


def _double(value: str, column: int, indent: int) -> str:
    out: list[str] = []
    spaces = False
    last = len(value) - 1
    marked = value.startswith("\ufeff")  # the emitter escapes all of a text that begins with a byte order mark
    for at, char in enumerate(value):
        if char == " " and not marked:
            if not spaces and column > WIDTH and 0 < at < last:
                out.append("\n" + " " * indent + ("\\" if value[at + 1] == " " else ""))
                column = indent + (value[at + 1] == " ")
            else:
                out.append(" ")
                column += 1
            spaces = True
            continue
        written = _escape(char) if marked or char in '"\\\n' or _ODD.match(char) else char
        out.append(written)
        column += len(written)
        spaces = False
    return '"' + "".join(out) + '"'


def _escape(char: str) -> str:
    code = ord(char)
    if code in _ESCAPES:
        return "\\" + _ESCAPES[code]
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _block(value: str, indent: int) -> str:
    hint = "2" if value[0] in " \n\r\x85\u2028\u2029" else ""
    if not value.endswith(("\n", "\r", "\x85", "\u2028", "\u2029")):
        hint += "-"
    elif len(value) == 1 or value[-2] in "\n\r\x85\u2028\u2029":
        hint += "+"
    blanks = " " * indent
    body = "\n".join([blanks + line if line else "" for line in value.split("\n")])
    return f"{hint}\n{body}".removesuffix("\n")
