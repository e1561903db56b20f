"""Where utilities would ask the real clock or real chance, their words are made to ask the shell's own.

Most commands that do (`date`, `shuf`, `mktemp` ...) are ours, and variables (`$SECONDS`, `$RANDOM`) the interpreter's.
The rest are places inside bashkit that cannot be replaced: awk's `srand()`, `sort -R`, `/dev/urandom` and their like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

HIDDEN = "/var/tmp/."
"""What stands for `/dev/` and the like where the kernel would answer by chance."""

RANDOM_FILES = ("/var/tmp/.random", "/var/tmp/.urandom")
UUID_FILE = "/var/tmp/.uuid"
PROC = "/var/tmp/.proc"
"""Where what utilities are lent lies; nothing of it is left."""

AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})

_SUSPECT = re.compile(r"srand|systime|strftime")
_SUSPECT_FILE = re.compile(_SUSPECT.pattern.encode())
_STRFTIME = re.compile(r"\bstrftime\(\s*(\"[^\"]*\")\s*\)")
_RANDOMLY = re.compile(r"-[a-zA-Z]*R[a-zA-Z]*|--random-sort|--sort=random")
_SRAND = re.compile(r"\bsrand\(\s*\)")
_STRFTIME_NOW = re.compile(r"\bstrftime\(\s*\)")
_RANDOM = re.compile(r"/dev/(random\b|ura)")
_RANDOM_FILE = re.compile(r"/var/tmp/\.(random|ura)")


def is_chancy(argv: Sequence[str]) -> bool:
    """Whether the clock or chance has a part in a call."""
    if argv[0] == "sort":
        return any(_RANDOMLY.fullmatch(word) for word in argv[1:])
    return argv[0] in AWKS and any(_SUSPECT.search(word) for word in argv)


def settle(argv: Sequence[str], now: float, draw: Callable[[], int]) -> list[str]:
    """The words of a call with the wall clock and real chance taken out.

    >>> settle(["awk", "BEGIN{srand(); print rand()}"], 1000.0, lambda: 7)
    ['awk', 'BEGIN{srand(7); print rand()}']
    >>> settle(["sort", "-R", "a"], 1000.0, lambda: 7)
    ['shuf', 'a']
    """
    if not is_chancy(argv):
        return list(argv)
    if argv[0] == "sort":
        return ["shuf", *(word for word in argv[1:] if not _RANDOMLY.fullmatch(word))]
    return [argv[0], *(settle_program(word, now, draw) for word in argv[1:])]


def settle_program(program: str, now: float, draw: Callable[[], int]) -> str:
    """A program of awk, likewise."""
    program = _SRAND.sub(lambda _: f"srand({draw() % 100_000})", program)
    program = _STRFTIME_NOW.sub(r'strftime("%a %b %e %H:%M:%S UTC %Y")', program)
    program = program.replace("systime()", str(int(now)))
    return _STRFTIME.sub(lambda found: f"strftime({found[1]}, {int(now)})", program)


def hide_sources(word: str) -> str:
    """A word with what stands for the kernel's sources of chance in place of them."""
    word = word.replace("/proc/sys/kernel/random/uuid", UUID_FILE)
    return _RANDOM.sub(rf"{HIDDEN}\1", word)


def is_suspect(data: bytes) -> bool:
    """Whether a file may hold a program that `settle_program` would change."""
    return _SUSPECT_FILE.search(data) is not None


def restore_output(text: str) -> str:
    """What a settled script printed, with the kernel's names of its sources of chance.

    >>> restore_output("cat: /var/tmp/.urandom: Permission denied")
    'cat: /dev/urandom: Permission denied'
    """
    if HIDDEN not in text:
        return text
    return _RANDOM_FILE.sub(r"/dev/\1", text.replace(UUID_FILE, "/proc/sys/kernel/random/uuid"))
