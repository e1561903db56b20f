"""Prompts, as `${x@P}` shows them. Reference: Bash manual, 6.9."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from aiops_gym.sim.machine.scripts.parser import parse
from aiops_gym.sim.machine.scripts.scope import HOME, VERSION, Scope
from aiops_gym.types import Json

SIGN = re.compile(r"\\(?:([0-7]{3})|D\{([^}]*)\}|(.))", re.DOTALL)
TIMES = {"d": "%a %b %d", "t": "%H:%M:%S", "T": "%I:%M:%S", "@": "%I:%M %p", "A": "%H:%M"}
PLAIN = {"n": "\n", "r": "\r", "a": "\a", "e": "\033", "\\": "\\", "[": "\1", "]": "\2"}


def decode(scope: Scope, text: str) -> str:
    """A text with what stands behind backslashes, and then with its parameters expanded."""
    now = datetime.fromtimestamp(scope.clock() // 1000, UTC)
    cwd, host = scope.task.cwd, scope.c.hostname
    short = "~" + cwd.removeprefix(HOME) if f"{cwd}/".startswith(f"{HOME}/") else cwd
    last = short if short in ("~", "/") else short.rpartition("/")[2]
    known = {"u": "root", "h": host.partition(".")[0], "H": host, "w": short, "W": last, "$": "#", **PLAIN}
    known |= {"s": scope.name.rpartition("/")[2], "v": ".".join(VERSION[:2]), "V": ".".join(VERSION[:3]), "j": "0"}

    def show(found: re.Match[str]) -> str:
        octal, form, letter = found.groups(default="")
        if octal:
            return chr(int(octal, 8))
        if letter in TIMES or not letter:
            return now.strftime(TIMES.get(letter, form or "%X"))
        return known.get(letter, found[0])

    return scope.expand_text(_quoted(SIGN.sub(show, text)))


def _quoted(text: str) -> Json:
    """A text as the word that it is in double quotes."""
    inner = text.replace('"', '\\"')
    return parse(f'x "{inner}"')[1][0][0][1][0][1][1][0][2][1]
