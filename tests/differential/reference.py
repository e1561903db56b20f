"""The real kubectl's reference, as the binary itself tells it: every command's usage, examples and flags.

`python tests/differential/reference.py` reads it from the kubectl on PATH and keeps it in `reference.json`, from which
`derive.py` draws command lines, so that they are the same ones where there is no kubectl.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).with_name("reference.json")
FLAG = re.compile(r"^    (?:-(\w), )?--([\w-]+)=(.*):$", re.M)
CHILD = re.compile(r"^  (\S+) +\S", re.M)


class Flag(NamedTuple):
    """A flag: its long name, its letter or "", and its default as the help shows it, quotes and brackets included."""

    name: str
    short: str
    default: str


class Command(NamedTuple):
    """A command: its path without `kubectl`, its usage, its examples, its own flags."""

    path: str
    usage: str
    examples: Sequence[Sequence[str]]
    flags: Sequence[Flag]


@lru_cache(maxsize=1)
def commands() -> tuple[Command, ...]:
    """All commands, as recorded; the one without a path has the flags of every command."""
    rows = json.loads(PATH.read_text(encoding="utf-8"))
    return tuple(Command(p, usage, examples, [Flag(*f) for f in flags]) for p, usage, examples, flags in rows)


def read(program: str) -> Iterator[Command]:
    """All commands of a binary."""
    yield Command("", "", [], _flags(_told(program, "options")))
    waiting = [""]
    while waiting:
        path = waiting.pop(0)
        text = _told(program, *path.split(), "--help")
        waiting += [f"{path} {name}".strip() for name in _children(text)]
        if path:
            found = re.search(r"^Usage:\n  kubectl (.*)", text, re.M)
            yield Command(path, found[1] if found else path, list(_examples(text)), _flags(text))


def _told(program: str, *words: str) -> str:
    env = {"HOME": "/root", "PATH": "/usr/bin"}
    return subprocess.run([program, *words], env=env, capture_output=True, text=True, check=False).stdout


def _flags(text: str) -> list[Flag]:
    return [Flag(name, short, default) for short, name, default in FLAG.findall(text)]


def _children(text: str) -> list[str]:
    parts = re.findall(r"^[A-Z][^\n]*Commands[^\n]*:\n((?:  .*\n)+)", text, re.M)
    return [name for part in parts for name in CHILD.findall(part)]


def _examples(text: str) -> Iterator[list[str]]:
    """The examples' words, those of pipes and substitutions left out: they are the shell's."""
    part = text.partition("\nExamples:\n")[2].partition("\nUsage:\n")[0].replace("\\\n", " ")
    for line in re.findall(r"^  kubectl (.*)$", part, re.M):
        if not any(mark in line for mark in ("$", "|", " > ", "<", ">>")):
            yield shlex.split(line, comments=True)


def main() -> None:
    rows = [json.dumps(command) for command in read("kubectl")]
    PATH.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
    print(f"{len(rows)} commands")


if __name__ == "__main__":
    main()
