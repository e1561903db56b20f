"""Command lines as Go's package `flag` reads them, and what it says of those that it does not understand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aiops_gym.errors import AiopsGymError

HELP = ("h", "help")


class Flag(NamedTuple):
    """A flag that takes a text: what it is for, and what it is without being given."""

    about: str
    usual: str


class FlagError(AiopsGymError):
    """A command line with which a program does not start.

    Attributes:
        lines: what it writes.
        code: exit code.
    """

    def __init__(self, lines: Sequence[str], code: int) -> None:
        super().__init__(lines[0])
        self.lines = list(lines)
        self.code = code


def parse(argv: Sequence[str], flags: Mapping[str, Flag]) -> dict[str, str]:
    """The values that a command line gives. Raises FlagError.

    >>> known = {"consuladdr": Flag("Consul address", "consul:8500")}
    >>> parse(["geo", "--consuladdr", "consul.shop.svc.cluster.local:8500", "rest"], known)
    {'consuladdr': 'consul.shop.svc.cluster.local:8500'}
    """
    found: dict[str, str] = {}
    words = list(argv[1:])
    while words and len(words[0]) > 1 and words[0].startswith("-") and words[0] != "--":
        word = words.pop(0)
        name, given, value = word.removeprefix("-").removeprefix("-").partition("=")
        if not name or name.startswith("-"):
            raise FlagError([f"bad flag syntax: {word}", *_usage(argv[0], flags)], 2)
        if name not in flags:
            wrong = [] if name in HELP else [f"flag provided but not defined: -{name}"]
            raise FlagError([*wrong, *_usage(argv[0], flags)], 2 if wrong else 0)
        if not given and not words:
            raise FlagError([f"flag needs an argument: -{name}", *_usage(argv[0], flags)], 2)
        found[name] = value if given else words.pop(0)
    return found


def _usage(program: str, flags: Mapping[str, Flag]) -> list[str]:
    lines = [f"Usage of {program}:"]
    for name, flag in sorted(flags.items()):
        lines += [f"  -{name} string", f'    \t{flag.about} (default "{flag.usual}")']
    return lines
