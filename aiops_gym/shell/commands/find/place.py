"""One file that `find` looks at, what holds for the whole search, and how a file is printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from aiops_gym.clients.context import Context, FileInfo
from aiops_gym.shell.commands.date import render
from aiops_gym.shell.commands.ls import format_mode

LETTERS = {"file": "f", "directory": "d", "symlink": "l"}
ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "0": "\0", "r": "\r", "a": "\a"}


@dataclass(slots=True)
class Place:
    """A file that is looked at: its path as find prints it, how deep it lies, and the path find was started with."""

    path: str
    about: FileInfo
    depth: int
    start: str
    pruned: bool = False


class Wrong(ValueError):
    """A message about the command line."""


@dataclass(slots=True)
class Search:
    """What holds for the whole of a search, and what it printed."""

    context: Context
    least: int = 0
    most: int = 1 << 30
    depth_first: bool = False
    acts: bool = False
    done: bool = False
    code: int = 0
    out: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    batches: list[tuple[list[str], list[str]]] = field(default_factory=list)

    def say(self, text: str) -> bool:
        """Print; always true, as actions are."""
        self.out.append(text)
        return True


def base(place: Place) -> str:
    """The last part of its path."""
    return place.path.rstrip("/").rpartition("/")[2] or place.path


def format_place(form: str, place: Place) -> str:
    """What `-printf` prints of a file."""
    about, path = place.about, place.path
    below = path[len(place.start) :].lstrip("/")
    values = {
        "p": path,
        "f": base(place),
        "h": path.rpartition("/")[0] or ("." if "/" not in path else ""),
        "P": below,
        "H": place.start,
        "d": str(place.depth),
        "s": str(about.size),
        "k": str(-(-about.size // 1024)),
        "b": str(-(-about.size // 512)),
        "m": f"{about.mode & 0o7777:o}",
        "M": format_mode(about),
        "y": LETTERS.get(about.kind, "U"),
        "l": about.target,
        "u": "root",
        "g": "root",
        "U": "0",
        "G": "0",
        "n": "2" if about.kind == "directory" else "1",
        "i": str(1_048_576 + sum(path.encode()) % 65_536),
        "D": "45",
        "%": "%",
    }
    values |= dict.fromkeys("tac", render(about.time, "%a %b %e %H:%M:%S.%N0 %Y"))

    def one(found: re.Match[str]) -> str:
        if found[1]:
            return ESCAPES.get(found[1], found[0])
        if found[3]:
            stamp = f"{about.time:.9f}0" if found[3] == "@" else render(about.time, f"%{found[3]}")
            return f"{stamp}.0000000000" if found[3] in "TS" else stamp
        text = values.get(found[4])
        if text is None:
            return found[0]
        width = found[2].lstrip("-")
        padded = text.rjust(int(width)) if width else text
        return text.ljust(int(width)) if width and found[2][0] == "-" else padded

    return re.sub(r"\\(.)|%(-?\d{0,4})(?:[TAC]([@a-zA-Z+])|(.))", one, form)


def list_place(place: Place) -> str:
    """What `-ls` prints of a file."""
    about = place.about
    date = format_place("%i", place), -(-about.size // 4096) * 4
    name = f"{place.path} -> {about.target}" if about.target else place.path
    links = 2 if about.kind == "directory" else 1
    owner = f"{format_mode(about)} {links:3} root     root     {about.size:8}"
    return f"{date[0]:>9} {date[1]:6} {owner} {render(about.time, '%b %e %H:%M')} {name}\n"
