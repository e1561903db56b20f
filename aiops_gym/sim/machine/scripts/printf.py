"""`printf`. Reference: Bash manual, 4.2; POSIX, `printf`."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from aiops_gym.sim.machine.scripts.escapes import unescape
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.task import Stop

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine

_FORM = re.compile(r"%(?:%|([-+ #0']*)(\*|\d+)?(?:\.(\*|\d*))?(?:\(([^)]*)\))?[hlLqjzt]*?([sdiouxXcbqQeEfFgGaAT]))")
LATEST = 60_000_000_000
"""Seconds from 1970 on, or back, that a date can be shown of."""

WIDEST = 100_000
"""Characters of a field."""


LONGEST_NUMBER = 100
"""Digits of a number; of longer ones the first are enough to be too large."""


class _Filling:
    """A form that is filled in.

    Args:
        machine: whose command it is.
        words: what it is filled with.
    """

    def __init__(self, machine: Machine, words: list[str]) -> None:
        self.machine, self.words = machine, words
        self.taken, self.code, self.over = 0, 0, False

    def next(self) -> str | None:
        """The next word, None when there are no more."""
        self.taken += 1
        return self.words[self.taken - 1] if self.taken <= len(self.words) else None

    def fill(self, match: re.Match[str]) -> str:
        """One directive with its word."""
        if match[0] == "%%":
            return "%"
        flags, width, precision, form, sign = match.groups()
        flags = flags.replace("'", "")
        width = str(self.number(self.next() or "0")) if width == "*" else width or ""
        if width.startswith("-"):
            flags, width = f"{flags}-", width[1:]
        if precision == "*":
            precision = str(self.number(self.next() or "0"))
        if int(width or 0) > WIDEST or int(precision or 0) > WIDEST:
            raise ScriptError("printf: out of memory", "printf: cannot allocate memory")
        limit = "" if precision is None else f".{precision}"
        word = self.next()
        if sign in "sbcqQT":
            return f"%{flags.replace('0', '')}{width}{limit if sign in 'sbq' else ''}s" % self.text(sign, word, form)
        if sign in "eEfFgGaA":
            return f"%{flags}{width}{limit}{'f' if sign in 'aAF' else sign}" % self.real(word or "0")
        number = self.number(word or "0")
        if sign in "ouxX" and number < 0:
            number += 1 << 64
        return (
            f"%{flags}{width}{limit}{'d' if sign in 'diu' else sign}" % number
            if sign != "o" or "#" not in flags
            else (f"%{flags.replace('#', '')}{width}{limit}s" % f"0{number:o}")
        )

    def text(self, sign: str, word: str | None, form: str | None) -> str:
        """What a directive for texts shows."""
        if sign == "T":
            seconds = self.machine.clock() / 1000 if word in (None, "-1", "-2") else self.number(word or "0")
            return datetime.fromtimestamp(max(-LATEST, min(LATEST, seconds)), UTC).strftime(form or "%X")
        word = word or ""
        if sign == "b":
            word, self.over = unescape(word, self.machine.files.binary)
        return word[:1] if sign == "c" else quote(word) if sign in "qQ" else word

    def number(self, word: str) -> int:
        """A whole number, as C writes it."""
        text = word.strip()
        if text[:1] in ("'", '"'):
            return ord(text[1]) if len(text) > 1 else 0
        match = re.match(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)", text)
        if match is None or match.end() != len(text):
            self.blame(
                word, "invalid number", "expected numeric value" if match is None else "not completely converted"
            )
        digits = match[0] if match else "0"
        plain = digits.lstrip("+-")[:LONGEST_NUMBER]
        value = int(plain, 16 if plain[:2].lower() == "0x" else 8 if plain[:1] == "0" else 10)
        return max(-(1 << 63), min((1 << 63) - 1, -value if digits[0] == "-" else value))

    def real(self, word: str) -> float:
        """Another number."""
        if word[:1] in ("'", '"'):
            return float(ord(word[1])) if len(word) > 1 else 0.0
        try:
            return float.fromhex(word) if word[:2].lower() == "0x" else float(word)
        except ValueError:
            self.blame(word, "invalid number", "expected numeric value")
            return 0.0

    def blame(self, word: str, bash: str, dash: str) -> None:
        """A word that is no number."""
        machine, self.code = self.machine, 1
        machine.blame(f"printf: {word}: {bash if machine.dialect == 'bash' else dash}")


def printf(machine: Machine, argv: list[str]) -> Stop | None:
    """A form filled in, again and again while there are words."""
    words, variable = argv[1:], ""
    if machine.dialect == "bash" and words[:1] == ["-v"] and len(words) > 1:
        variable, words = words[1], words[2:]
    words = words[1:] if words[:1] == ["--"] else words
    if not words:
        machine.blame("printf: usage: printf [-v var] format [arguments]")
        machine.task.code = 2
        return None
    form, over = unescape(words[0], machine.files.binary)
    filling, out, size = _Filling(machine, words[1:]), "", 0
    while True:
        before, at = filling.taken, 0
        while (place := form.find("%", at)) >= 0 and not filling.over:
            match = _FORM.match(form, place)
            if match is None or (match[5] in ("q", "Q", "T") and machine.dialect == "dash"):
                machine.blame(f"printf: `{form[place + 1 : place + 2]}': invalid format character")
                machine.write("1", out + form[at:place])
                machine.task.code = 1 if machine.dialect == "bash" else 2
                return None
            out += form[at:place] + filling.fill(match)
            at = match.end()
        out += "" if filling.over else form[at:]
        machine.allowance.move(len(out) - size)
        size = len(out)
        if size > max(WIDEST * 10, machine.longest):
            machine.blame("printf: write error: Cannot allocate memory")
            machine.task.code = 1
            return None
        if filling.taken >= len(filling.words) or filling.taken == before or over or filling.over:
            break
    if variable:
        machine.set(variable, out)
    else:
        machine.write("1", out)
    machine.task.code = filling.code
    return None


def quote(text: str) -> str:
    """A word as `%q` shows it.

    >>> print(quote("a b"), quote("it's"), quote(""))
    a\\ b it\\'s ''
    """
    if not text:
        return "''"
    if any(ord(char) < 32 or ord(char) == 127 for char in text):
        from aiops_gym.sim.machine.scripts.parameters import ansi_quote  # noqa: PLC0415

        return ansi_quote(text)
    return (
        re.sub(r"([^\w@%+=:,./-])", r"\\\1", text, flags=re.ASCII)
        if text.isascii()
        else (
            "".join(f"\\{char}" if char.isascii() and not re.match(r"[\w@%+=:,./-]", char) else char for char in text)
        )
    )


COMMANDS = {"printf": printf}
