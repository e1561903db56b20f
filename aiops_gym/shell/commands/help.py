"""`help`: what GNU bash says of its own commands."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from aiops_gym.clients.context import Context
from aiops_gym.types import Output


@cache
def _read() -> tuple[str, Mapping[str, tuple[str, str]]]:
    """What bash 5.2.15 prints, eighty columns wide; and by name how a command is called, and what it does."""
    list_, _, rows = (Path(__file__).parent / "help.txt").read_text().rpartition("\n\n")
    return f"{list_}\n", {name: (how, what) for name, how, what in (row.split("\t") for row in rows.splitlines())}


def run(context: Context, argv: list[str]) -> Output:
    """`help [-dms] [PATTERN...]`."""
    all_, commands = _read()
    words = [word for word in argv[1:] if not word.startswith("-")]
    flags = "".join(word[1:] for word in argv[1:] if word.startswith("-"))
    if not words:
        return Output(all_)
    found = [name for name in commands if any(fnmatchcase(name, word) for word in words)]
    found = found or [name for name in commands if any(name.startswith(word) for word in words)]
    if not found:
        hint = f"Try `help help' or `man -k {words[-1]}' or `info {words[-1]}'."
        return Output("", f"bash: line 1: help: no help topics match `{words[-1]}'.  {hint}\n", 1)
    if "s" in flags:
        return Output("".join(f"{name}: {commands[name][0]}\n" for name in found))
    if "d" in flags:
        return Output("".join(f"{name} - {commands[name][1]}\n" for name in found))
    return Output("".join(f"{name}: {commands[name][0]}\n    {commands[name][1]}\n" for name in found))
