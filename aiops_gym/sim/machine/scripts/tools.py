"""Small tools that take no time, in the forms in which scripts mostly call them; other forms are for the utilities."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from posixpath import basename, dirname
from typing import TYPE_CHECKING

from aiops_gym.sim.machine.scripts import memory, streams
from aiops_gym.sim.machine.scripts.conditions import evaluate
from aiops_gym.sim.machine.scripts.escapes import SHORT_OCTAL, unescape
from aiops_gym.sim.machine.scripts.files import make_absolute

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine

Tool = Callable[["Machine", list[str]], int]
FORMS = {
    "basename": r"[^-].*",
    "cat": r"[^-].*|-",
    "date": r"-u|\+(?:[^%]|%[aAbBdeFHMSTYmyjsZNuV%])*",
    "dirname": r"[^-].*",
    "grep": r"-[qvciF]+|[^-].*",
    "head": r"-n|-n?\d+|-c\d*\w?|[^-+].*",
    "ls": r"-1|[^-].*",
    "mkdir": r"-p|[^-].*",
    "rm": r"-[rRf]+|[^-].*",
    "tail": r"-n|-n?\d+|-[fF]|--follow|[^-+].*",
    "touch": r"[^-].*",
    "wc": r"-[lwc]|[^-].*",
}
"""What the words of a call may be for a tool to be used here."""

PLAIN = re.compile(r"\^?(?:[\w\s/:=,@%&;<>\"'!#~-]|\.)*\$?", re.ASCII)
"""Patterns of `grep` that mean the same in all kinds of regular expressions, and hold nobody up."""


def does(machine: Machine, name: str, words: Sequence[str]) -> bool:
    """Whether a call has the form that is known here, and will not have to complain."""

    def kind(path: str) -> str:
        return machine.files.kind(make_absolute(path, machine.task.cwd))

    if name not in FORMS or not all(re.fullmatch(FORMS[name], word) for word in words):
        return name not in FORMS
    given, flags = [word for word in words if word[:1] == "-"], "".join(word for word in words if word[:1] == "-")
    names = [word for word in words if word[:1] != "-"]
    if name in ("head", "tail"):
        if not all(after.isdigit() for word, after in pairwise(words) if word == "-n"):
            return False
        zeros = "/dev/zero" in words or machine.stdin()[0] == "zero"
        return len(names) - (given[-1:] in (["-n"], ["-c"])) < 2 and ("c" not in flags or zeros)
    if name == "wc":
        return len(given) + len(names) < 2 or (len(given) == len(names) == 1 and kind(names[0]) == "file")
    if name == "grep":
        literal = "F" in flags or (names and PLAIN.fullmatch(names[0]))
        return bool(literal) and len(names) < 3 and all(kind(each) == "file" for each in names[1:])
    if name == "rm" and _hits_data(machine, names):
        return False
    if name in ("rm", "touch"):
        wanted = ("file", "directory") if "r" in flags.lower() or name == "touch" else ("file",)
        return all(kind(each) in wanted or (name == "touch" and kind(dirname(each) or ".")) for each in names)
    if name == "ls":
        return len(names) < 2 and kind((*names, ".")[0]) == "directory"
    if name == "mkdir":
        return bool(names)
    if name in ("basename", "dirname"):
        return 0 < len(words) < (3 if name == "basename" else 2)
    return "-" not in words or len(words) == 1 if name == "cat" else len(names) < 2


def _hits_data(machine: Machine, names: Sequence[str]) -> bool:
    """Whether a path holds what a program keeps on its disk: who takes that away takes it from the program."""
    return machine.files.stores([make_absolute(each, machine.task.cwd) for each in names])


def echo(machine: Machine, argv: list[str]) -> int:
    """Words, with backslashes read as the shell reads them."""
    words, newline, escapes = argv[1:], "\n", machine.dialect == "dash"
    while words and re.fullmatch("-n" if machine.dialect == "dash" else "-[neE]+", words[0]):
        newline = "" if "n" in words[0] else newline
        escapes = escapes or "e" in words[0]
        words = words[1:]
    text, over = " ".join(words), False
    if escapes:
        text, over = unescape(SHORT_OCTAL.sub(r"\1\\\\", text), machine.files.binary)
    machine.write("1", text + ("" if over else newline))
    return 0


def grep(machine: Machine, argv: list[str]) -> int:
    """Lines that match."""
    flags = "".join(w[1:] for w in argv[1:] if w.startswith("-"))
    words = [w for w in argv[1:] if not w.startswith("-")]
    texts, code = streams.read_inputs(machine, argv, words[1:])
    found = re.compile(re.escape(words[0]) if "F" in flags else words[0], re.IGNORECASE if "i" in flags else 0)
    lines = [line for text in texts for line in _split(text) if bool(found.search(line)) != ("v" in flags)]
    if "q" not in flags:
        machine.write("1", f"{len(lines)}\n" if "c" in flags else "".join(f"{line}\n" for line in lines))
    return code * 2 or int(not lines)


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def wc(machine: Machine, argv: list[str]) -> int:
    """Lines, words or bytes."""
    names, flags = [w for w in argv[1:] if not w.startswith("-")], [w[1:] for w in argv[1:] if w.startswith("-")]
    texts, code = streams.read_inputs(machine, argv, names)
    text, source = "".join(texts), machine.stdin()
    size = source[1] if source[0] == "zero" and not names else len(text.encode(errors="surrogateescape"))
    if names:
        size = machine.files.size(make_absolute(names[0], machine.task.cwd))
    counts = {"l": text.count("\n"), "w": len(text.split()), "c": size}
    name = f" {names[0]}" if names else ""
    if not code:
        shown = " ".join(f"{counts[f]:7}" for f in "lwc") if not flags else str(counts[flags[0]])
        machine.write("1", f"{shown}{name}\n")
    return code


def test(machine: Machine, argv: list[str]) -> int:
    """A condition."""
    closing = {"[": "]"}.get(argv[0])
    words = argv[1:]
    if closing:
        if not words or words[-1] != closing:
            machine.blame("[: missing `]'" if machine.dialect == "bash" else "[: missing ]")
            return 2
        words = words[:-1]
    return evaluate(machine, words)


def remove(machine: Machine, argv: list[str]) -> int:
    """Take files and folders away."""
    code, force = 0, any(w.startswith("-") and "f" in w for w in argv[1:])
    for name in [w for w in argv[1:] if not w.startswith("-")]:
        path = make_absolute(name, machine.task.cwd)
        if machine.files.kind(path):
            machine.files.remove(path)
        elif not force:
            machine.write("2", f"rm: cannot remove '{name}': No such file or directory\n")
            code = 1
    return code


def touch(machine: Machine, argv: list[str]) -> int:
    """Make files that are not there."""
    code = 0
    for name in [w for w in argv[1:] if not w.startswith("-")]:
        path = make_absolute(name, machine.task.cwd)
        if machine.files.kind(path):
            machine.files.touch(path)
        elif not machine.files.write(path, ""):
            machine.write("2", f"touch: cannot touch '{name}': No such file or directory\n")
            code = 1
    return code


def ls(machine: Machine, argv: list[str]) -> int:
    """What is in a folder."""
    folder = make_absolute((*(w for w in argv[1:] if w != "-1"), ".")[0], machine.task.cwd)
    prefix = machine.files.follow(folder).rstrip("/") + "/"
    inside = {p[len(prefix) :].partition("/")[0] for p in machine.paths() if p.startswith(prefix)}
    machine.write("1", "".join(f"{name}\n" for name in sorted(inside) if not name.startswith(".")))
    return 0


def date(machine: Machine, argv: list[str]) -> int:
    """The time."""
    form = next((w[1:] for w in argv[1:] if w.startswith("+")), "%a %b %e %H:%M:%S UTC %Y")
    form = form.replace("%N", f"{machine.clock() % 1000:03}000000").replace("%Z", "UTC")
    machine.write("1", datetime.fromtimestamp(machine.clock() // 1000, UTC).strftime(form) + "\n")
    return 0


def which(machine: Machine, argv: list[str]) -> int:
    """Where executables lie."""
    found = [machine.host.top.locate(name) for name in argv[1:] if not name.startswith("-")]
    machine.write("1", "".join(f"{place}\n" for place in found if place))
    return int(not all(found))


def path_part(machine: Machine, argv: list[str]) -> int:
    """`basename` and `dirname`."""
    path = argv[1].rstrip("/") or "/"
    name = (basename(path) or "/") if argv[0] == "basename" else dirname(path) or "."
    end = argv[2] if argv[0] == "basename" and len(argv) > 2 else ""
    machine.write("1", (name.removesuffix(end) if name != end else name) + "\n")
    return 0


def pwd(machine: Machine, argv: list[str]) -> int:
    """The folder; with `-P` that to which links lead."""
    cwd = machine.task.cwd
    machine.write("1", f"{machine.files.follow(cwd) if '-P' in argv else cwd}\n")
    return 0


def mkdir(machine: Machine, argv: list[str]) -> int:
    """Make folders; with `-p` those above them, too, and none that is there already."""
    code, above = 0, "-p" in argv
    for name in [w for w in argv[1:] if not w.startswith("-")]:
        path = make_absolute(name, machine.task.cwd)
        known, around = machine.files.kind(path), machine.files.kind(dirname(path))
        if known and not (above and known == "directory"):
            wrong = "File exists"
        elif not known and around != "directory" and not (above and _make_above(machine, path)):
            wrong = "Not a directory" if around else "No such file or directory"
        else:
            wrong = ""
            machine.files.folder(path) if not known else None
        if wrong:
            machine.write("2", f"mkdir: cannot create directory ‘{name}’: {wrong}\n")
            code = 1
    return code


def _make_above(machine: Machine, path: str) -> bool:
    """Make the folders above a path; False where one of them is a file."""
    missing: list[str] = []
    while (path := dirname(path)) and not (kind := machine.files.kind(path)):
        missing.append(path)
    if kind == "directory":
        for each in reversed(missing):
            machine.files.folder(each)
    return kind == "directory"


TOOLS: dict[str, Tool] = {
    **dict.fromkeys(("true", ":", "sync", "chown", "logger", "mkfifo"), lambda m, a: 0),
    "false": lambda m, a: 1,
    "echo": echo,
    "grep": grep,
    "wc": wc,
    **dict.fromkeys(("test", "["), test),
    "rm": remove,
    "touch": touch,
    "ls": ls,
    "mkdir": mkdir,
    "date": date,
    **dict.fromkeys(("fallocate", "truncate"), memory.allocate),
    "pwd": pwd,
    "which": which,
    **dict.fromkeys(("basename", "dirname"), path_part),
}
