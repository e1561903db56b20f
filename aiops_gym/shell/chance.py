"""Where bash and its tools would ask the real clock or real chance, a script is made to ask the shell's own.

Most such commands (`date`, `shuf`, `mktemp` ...) are ours. The rest are places inside the interpreter that cannot be
replaced, so the text of the script is: `$SECONDS`, awk's `srand()`, `sort -R`, `/dev/urandom` and their like.
Scripts that touch none of them, which is nearly all, are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from aiops_gym.shell.commands.date import render
from aiops_gym.shell.disk import STDIN

HIDDEN = "/var/tmp/."
"""What stands for `/dev/` and the like where the kernel would answer by chance."""

RANDOM_FILES = ("/var/tmp/.random", "/var/tmp/.urandom")
UUID_FILE = "/var/tmp/.uuid"
PROC = "/var/tmp/.proc"
STANDING_IN = frozenset({*RANDOM_FILES, UUID_FILE, STDIN, PROC})
"""All of these: `ls` and its like pass over them. `STDIN` is what a command reads that another one starts."""

_SUSPECT = re.compile(r"SECONDS|UID|EPOCHREALTIME|SRANDOM|srand|systime|strftime|\)T|sort(?!-by)|/random|/ura")
_SUSPECT_FILE = re.compile(_SUSPECT.pattern.encode())
_PIDS = re.compile(r"BASHPID|\$!|\bjobs\b")
_NAMES = "SECONDS|EPOCHSECONDS|EPOCHREALTIME|SRANDOM|UID|EUID"
SPECIAL = frozenset(_NAMES.split("|"))
_VARIABLE = re.compile(rf"\$\{{({_NAMES})\}}|\$({_NAMES})\b")
_ARITHMETIC = re.compile(r"\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)")
_BARE = re.compile(rf"(?<![$\w{{])(?<!special )({_NAMES})\b(?!\s*=[^=])")
_MARKED_INDIRECT = re.compile(rb'\$\(__special "\$(\w+)" "\$\{!\w+\}"\)')
_MARKED = re.compile(rb"\$\(__special (\w+)\)")
_STRFTIME = re.compile(r"\bstrftime\(\s*(\"[^\"]*\")\s*\)")
_TIME = re.compile(r"(?<!%)((?:%%)*)%\(([^)]*)\)T")
_PRINTF = re.compile(
    r"(\bprintf\s+(?:-v\s+\w+\s+)?)(['\"])([^'\"]*\)T[^'\"]*)\2"
    r"(?:\s+(?:-1|-2|\"?\$\(__special EPOCHSECONDS\)\"?))?"
)
_SORT = re.compile(
    r"\bsort\b((?:[ \t]+-\S+)*?)[ \t]+(?:-[a-zA-Z]*R[a-zA-Z]*|--random-sort|--sort=random)(?=[\s;|&)]|$)"
)
_RANDOMLY = re.compile(r"-[a-zA-Z]*R[a-zA-Z]*|--random-sort|--sort=random")
_SRAND = re.compile(r"\bsrand\(\s*\)")
_STRFTIME_NOW = re.compile(r"\bstrftime\(\s*\)")
_RANDOM = re.compile(r"/dev/(random\b|ura)")
_RANDOM_FILE = re.compile(rb"/var/tmp/\.(random|ura)")
_INDIRECT = re.compile(r"\$\{!(\w+)\}")


def needs_new_pids(script: str) -> bool:
    """Whether a script asks for process numbers, which count on as long as an interpreter lives."""
    return _PIDS.search(script) is not None


def settle_script(script: str, now: float, draw: Callable[[], int], alone: bool = False) -> str:
    """The script with the wall clock and real chance taken out; `alone` where it runs without commands of ours.

    >>> settle_script("awk 'BEGIN{srand(); print rand()}'", 1000.0, lambda: 7)
    "awk 'BEGIN{srand(7); print rand()}'"
    """
    if _SUSPECT.search(script) is None:
        return script
    script = _VARIABLE.sub(lambda found: f"$(__special {found[1] or found[2]})", script)
    if "((" in script:
        script = _ARITHMETIC.sub(lambda found: _BARE.sub(r"$(__special \1)", found[0]), script)
    script = _SRAND.sub(lambda _: f"srand({draw() % 100_000})", script)
    script = _STRFTIME_NOW.sub(r'strftime("%a %b %e %H:%M:%S UTC %Y")', script)
    script = script.replace("systime()", str(int(now)))
    script = _STRFTIME.sub(lambda found: f"strftime({found[1]}, {int(now)})", script)
    if alone and ")T" in script:
        script = _PRINTF.sub(lambda found: f"{found[1]}{found[2]}{_with_time(found[3], now)}{found[2]}", script)
    script = _SORT.sub("shuf", script)
    script = script.replace("/proc/sys/kernel/random/uuid", UUID_FILE)
    if "${!" in script:
        script = _INDIRECT.sub(r'$(__special "$\1" "${!\1}")', script)
    return _RANDOM.sub(rf"{HIDDEN}\1", script)


AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})


def settle(argv: Sequence[str], now: float, draw: Callable[[], int]) -> list[str]:
    """The words of a call with the wall clock and real chance taken out.

    >>> settle(["awk", "BEGIN{srand(); print rand()}"], 1000.0, lambda: 7)
    ['awk', 'BEGIN{srand(7); print rand()}']
    >>> settle(["sort", "-R", "a"], 1000.0, lambda: 7)
    ['shuf', 'a']
    """
    name = argv[0]
    if name in AWKS and any(_SUSPECT.search(word) for word in argv):
        return [name, *(settle_program(word, now, draw) for word in argv[1:])]
    if name == "sort" and any(_RANDOMLY.fullmatch(word) for word in argv[1:]):
        return ["shuf", *(word for word in argv[1:] if not _RANDOMLY.fullmatch(word))]
    return list(argv)


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


def _with_time(form: str, now: float) -> str:
    """A format of `printf` with the present time where it asks for one."""
    return _TIME.sub(lambda found: found[1] + render(now, found[2]).replace("%", "%%"), form)


def is_suspect(data: bytes) -> bool:
    """Whether a file may hold a script that `settle_script` would change."""
    return _SUSPECT_FILE.search(data) is not None


def restore_content(data: bytes) -> bytes:
    """The content of a file that a settled script wrote, as the script would have written it before.

    >>> restore_content(b"echo $(__special SECONDS)")
    b'echo $SECONDS'
    """
    if b"$(__special " in data:
        data = _MARKED_INDIRECT.sub(rb"${!\1}", _MARKED.sub(rb"$\1", data))
    if HIDDEN.encode() in data:
        data = data.replace(UUID_FILE.encode(), b"/proc/sys/kernel/random/uuid")
        data = _RANDOM_FILE.sub(rb"/dev/\1", data)
    return data


def restore_output(text: str) -> str:
    """What a settled script printed, with the kernel's names of its sources of chance.

    >>> restore_output("cat: /var/tmp/.urandom: Permission denied")
    'cat: /dev/urandom: Permission denied'
    """
    return restore_content(text.encode()).decode() if HIDDEN in text else text


def find_special(name: str, now: float, began: float, number: int, other: str = "") -> str:
    """The value of a variable that follows the clock or chance; `other` for one that does not."""
    if name not in SPECIAL:
        return other
    if name in ("UID", "EUID"):
        return "0"
    if name == "SECONDS":
        return str(int(now - began))
    if name == "SRANDOM":
        return str(number % 2**32)
    return f"{now:.6f}" if name == "EPOCHREALTIME" else str(int(now))
