"""Commands that may go on for ever between two counts of the interpreter, and when they certainly do not.

A script that may run such a call, by its text (`may_be_endless`), is given commands of ours instead (`COMMANDS`),
which hand the call to a process of its own: see `shell.apart`. All others have the interpreter's own, which are faster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise

from aiops_gym.clients.context import CommandModule, Context
from aiops_gym.shell import awk
from aiops_gym.shell.words import split_words
from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.types import Output

AWKS = split_words("awk gawk mawk")
YQS = split_words("yq tomlq")
ENDLESS = AWKS | YQS
"""Commands whose programs may have no end."""

WIDEST = 256
"""Columns of `xxd`; the interpreter's own would make room for any number."""

WRITERS = AWKS | YQS | split_words("python3")
"""Those whose programs may read and write files that their words do not name."""

CHANCY = split_words("python3")
"""Those that draw from the shell's stream whenever they run."""

ROOM = 10_000_000
"""Characters that one call may fill up with blanks."""

WIDE = "xxd: invalid number of columns (max. 256)."


def may_be_endless(argv: Sequence[str]) -> bool:
    """Whether a call may go on for ever, or take more memory than there is; None is a word that only running tells.

    >>> [may_be_endless(["awk", "-F", ":", each]) for each in ("{print $1}", "{while (1) x++}")]
    [False, True]
    """
    name, *arguments = argv
    if name in AWKS:
        program = _awk_program(arguments)
        return program is None or not awk.is_linear(program)
    return name in YQS


def may_start(argv: Sequence[str]) -> bool:
    """Whether a call of awk may start other commands, ours among them."""
    program = _awk_program(argv[1:]) if argv[0] in AWKS else ""
    return program is None or awk.may_start(program)


def only_reads(argv: Sequence[str]) -> bool:
    """Whether a call changes no file, and reads none but those that its words name.

    >>> [only_reads(["awk", each, "f"]) for each in ("{print $1}", '{print > "g"}', '{getline x < "g"}')]
    [True, False, False]
    """
    program = _awk_program(argv[1:]) if argv[0] in AWKS else None
    return argv[0] not in WRITERS or (program is not None and awk.only_prints(program))


def _awk_program(arguments: Sequence[str]) -> str | None:
    """The program of a call of awk; None where it cannot be told, or stands in a file."""
    rest = list(arguments)
    while rest and (word := rest.pop(0)) is not None:
        if word in ("-F", "-v"):
            rest = rest[1:]
        elif not word.startswith("-") or word == "-":
            return word
        elif not word.startswith(("-F", "-v")):
            return None
    return None


def _own(context: Context, argv: list[str]) -> Output:
    return context.spawn(argv, context.stdin, own=True)[0]


def _xxd(context: Context, argv: list[str]) -> Output:
    rest = argv[1:]
    plain = "-p" in rest or "-ps" in rest
    for index, word in enumerate(rest):
        if word == "--":
            break
        value = rest[index + 1] if word in ("-c", "-cols") and index + 1 < len(rest) else word.removeprefix("-c")
        number = parse_natural(value) if word.startswith("-c") else None
        if number is not None and number > WIDEST and not plain:
            return Output("", f"{WIDE}\n", 1)
    return _own(context, argv)


def _nl(context: Context, argv: list[str]) -> Output:
    """Lines with numbers before them; as many blanks as would not fit are as much as memory holds."""
    width = next((w.partition("w")[2] or n for w, n in pairwise([*argv[1:], ""]) if "w" in w), "")
    columns = parse_natural("".join(filter(str.isdigit, width))) or 0
    if columns * _count_lines(context, argv) > ROOM:
        return Output("", "nl: memory exhausted\n", 1)
    return _own(context, argv)


def _count_lines(context: Context, argv: Sequence[str]) -> int:
    """Lines of standard input, and of the files that words may name."""
    found = context.stdin.count("\n")
    for word in argv[1:]:
        with suppress(OSError):
            found += context.files.read(word).count("\n")
    return found


COMMANDS: Mapping[str, CommandModule] = {
    "nl": _nl,
    "xxd": _xxd,
    **dict.fromkeys((*sorted(AWKS), *sorted(YQS)), _own),
}
"""What calls back in scripts that may run calls which are `endless`."""
