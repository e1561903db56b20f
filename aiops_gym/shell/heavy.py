"""Commands that may go on for ever between two counts of the interpreter, and when they certainly do not.

A script that may run such a call, by its text (`may_be_endless`), is given commands of ours instead (`COMMANDS`),
which hand the call to a process of its own: see `shell.apart`. All others have the interpreter's own, which are faster.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise

from aiops_gym.clients.context import CommandModule, Context
from aiops_gym.shell import awk
from aiops_gym.shell.commands.date import render
from aiops_gym.shell.words import split_words
from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.types import Output

AWKS = split_words("awk gawk mawk")
YQS = split_words("yq tomlq")
CHECKED = split_words("nl xxd")
"""Commands that are looked at before they are run: they could ask for more room than there is."""

ENDLESS = AWKS | YQS
"""Commands whose programs may have no end."""

WIDEST = 256
"""Columns of `xxd`; the interpreter's own would make room for any number."""

WRITERS = AWKS | YQS | split_words("python3")
"""Those whose programs may read and write files that their words do not name."""

_COMPUTED = re.compile(r"xargs|\d{3,}|[$`]")
_WORDY = re.compile(r"\bnl\b[^|;&\n]*?-\w*(?:w|-number-w)")
"""Commands that write so many characters more in each line as an option says."""

_SETTER = r"""printf() {
if [ "$1" = -v ]; then eval "$2=\"\$(command printf \"\${@:3}\" && echo .)\"" || return; eval "$2=\${$2%.}"
else command printf "$@"; fi
}; """
_COLUMNS = re.compile(r"xxd\b[^|;&\n]*?(?:-c[^|;&\n]*(?:\d{3,}|[$`{])|[$`])")
"""A call of `xxd` with columns of more than two digits, or whose words only running tells."""

CHANCY = split_words("python3")
"""Those that draw from the shell's stream whenever they run."""

_WIDTH = re.compile(r"%[-+ #0']*(?:\d{4,}|\d*[*$`])|\d{4,}[a-zA-Z]|\d{3,}[\"'$]")
"""What of a format may be a width that, for each of 100,000 arguments, comes to a gigabyte."""

_VARIABLE = re.compile(r"printf\s+-v")
_TIMED = re.compile(r"%(?:%|[-+ #0']*\d*(?:\.\d+)?(?:\(([^)]*)\)T|[a-zA-Z]))")
"""Conversions of a format; of those that print a time, its own format."""

_FILLING = re.compile(r"%[-+ #0']*(\d+|\*)")
_CONVERSION = re.compile(r"%-?\d*([sd])|%0\d+(d)")
_PLAIN = re.compile(r"(?:[^%\\]|\\[nt]|%-?[1-9]\d{0,3}[sd]|%0\d{1,4}d)*", re.ASCII)
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")

ROOM = 10_000_000
"""Characters that one call of `printf` may fill up with blanks."""

WIDE = "xxd: invalid number of columns (max. 256)."


def may_be_endless(argv: Sequence[str | None]) -> bool:
    """Whether a call may go on for ever, or take more memory than there is; None is a word that only running tells.

    >>> [may_be_endless(["awk", "-F", ":", each]) for each in ("{print $1}", "{while (1) x++}")]
    [False, True]
    """
    name, *arguments = argv
    if name in AWKS:
        program = _awk_program(arguments)
        return program is None or not awk.is_linear(program)
    return name in YQS


def find_wide(script: str) -> frozenset[str]:
    """Commands that a script may ask for more columns than there is room for, or for the time.

    >>> scripts = ("xxd -c 8 f", "command xxd -c 9999 f", "n=9999; xxd -c$n f", "printf %-9s a")
    >>> [sorted(find_wide(each)) for each in scripts]
    [[], ['xxd'], ['xxd'], []]
    >>> sorted(find_wide("printf '%10000s' $(seq 100000)"))
    ['printf']
    """
    found = set[str]()
    if _COLUMNS.search(script) or ("xx" in script and "-c" in script and _COMPUTED.search(script)):
        found.add("xxd")
    if "printf" in script and (")T" in script or _WIDTH.search(script)):
        found.add("printf")
    if "nl" in script and _WORDY.search(script):
        found.add("nl")
    return frozenset(found)


def make_opening(script: str) -> str:
    """What has `printf -v` set its variable, where `printf` is ours: a command of ours could not.

    >>> bool(make_opening("printf -v x %${n}s a")), make_opening("printf -v x %5s a")
    (True, '')
    """
    return _SETTER if _VARIABLE.search(script) and "printf" in find_wide(script) else ""


def may_start(argv: Sequence[str | None]) -> bool:
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


def _awk_program(arguments: Sequence[str | None]) -> str | None:
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


def _printf(context: Context, argv: list[str]) -> Output:
    if ")T" in "".join(argv[1:2]):
        argv = _with_times(argv, context.cluster.now())
        if sum(map(len, argv)) > ROOM:
            return Output("", "bash: printf: write error: Cannot allocate memory\n", 1)
    form = argv[3:4] if argv[1:2] == ["-v"] else argv[1:2]
    widths = _FILLING.findall("".join(form))
    columns = [parse_natural(width) or 0 for width in widths if width != "*"]
    if "*" in widths:
        columns += [parse_natural(word) or 0 for word in argv[2:]]
    if len(argv) * sum(columns) > ROOM:
        return Output("", "bash: printf: write error: Cannot allocate memory\n", 1)
    return _filled(argv) or _own(context, argv)


def _with_times(argv: Sequence[str], now: float) -> list[str]:
    """A call that prints times as one that prints texts; without a moment, and for -1 and -2, it is now."""
    form, rest = argv[1], argv[2:]
    kinds = [found[1] for found in _TIMED.finditer(form) if found[0] != "%%"] or [None]
    words, room = list[str](), ROOM
    for place in range(-(-max(len(rest), 1) // len(kinds)) * len(kinds)):
        word, kind = rest[place] if place < len(rest) else "", kinds[place % len(kinds)]
        moment = now if word in ("", "-1", "-2") else parse_natural(word)
        words.append(word if kind is None else render(moment or 0, kind or "%X"))
        room -= len(words[-1])
        if room < 0:
            break
    shown = _TIMED.sub(lambda found: found[0] if found[1] is None else found[0].partition("(")[0] + "s", form)
    return [argv[0], shown, *words]


def _filled(argv: Sequence[str]) -> Output | None:
    """What a plain format prints of plain words, as of `printf '%05000d'`; None for all others.

    There may be thousands of such calls in a loop, and one that runs apart costs 3 ms.
    """
    form, *rest = argv[1:] or [""]
    wanted = [string or number for string, number in _CONVERSION.findall(form)]
    if _PLAIN.fullmatch(form) is None or len(rest) != len(wanted) or not all(map(str.isascii, rest)):
        return None
    if not all(kind == "s" or _INTEGER.fullmatch(word) for kind, word in zip(wanted, rest, strict=True)):
        return None
    values = [word if kind == "s" else int(word) for kind, word in zip(wanted, rest, strict=True)]
    return Output(form.replace("\\n", "\n").replace("\\t", "\t") % tuple(values))


COMMANDS: Mapping[str, CommandModule] = {
    "nl": _nl,
    "printf": _printf,
    "xxd": _xxd,
    **dict.fromkeys((*sorted(AWKS), *sorted(YQS)), _own),
}
"""What calls back in scripts that may run calls which are `endless`."""
