"""`jq` where its program may not end by itself, or could build what is too deep to print.

The interpreter's jq looks at its limits between two steps of a program, but not while it prints: a value of 100,000
brackets inside each other takes minutes and gigabytes to indent. Programs that can build such values run apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from aiops_gym.clients.context import Context
from aiops_gym.shell.apart import run_apart
from aiops_gym.shell.chance import with_now
from aiops_gym.shell.disk import absolute
from aiops_gym.shell.words import words
from aiops_gym.types import Output

LONG = 2_000
MANY = 20
"""Commas of a program: as many doublings of a value can make it too large to print."""

_BUILDS = re.compile(
    r"\b(?:reduce|foreach|recurse|repeat|while|until|limit|def|walk|fromjson|inputs?|import|include)\b"
)
VALUES = {
    **dict.fromkeys(words("--arg --argjson --slurpfile --rawfile"), 2),
    **dict.fromkeys(words("--indent -L --library-path"), 1),
}


class Call(NamedTuple):
    """A call of jq: its options without the program, the program, the file that holds it, and the input files."""

    options: tuple[str, ...]
    program: str | None
    source: str
    inputs: tuple[str, ...]


def builds(program: str) -> bool:
    """Whether a program could build values of any depth, or run without end.

    >>> builds(".items[] | select(.status.phase != \\"Running\\") | .metadata.name"), builds("def f: [f]; f")
    (False, True)
    """
    return len(program) > LONG or program.count(",") >= MANY or _BUILDS.search(program) is not None


def parsed(argv: Sequence[str]) -> Call:
    """The parts of a command line of jq.

    >>> parsed(["jq", "-rn", "--arg", "a", "1", "$a", "x.json"])
    Call(options=('-rn', '--arg', 'a', '1'), program='$a', source='', inputs=('x.json',))
    """
    options, plain, source, from_file, rest = list[str](), list[str](), "", False, list(argv[1:])
    while rest:
        word = rest.pop(0)
        if word in ("--args", "--jsonargs"):
            return Call(tuple(options), plain[0] if plain else None, "", (*plain[1:], word, *rest))
        if word == "--":
            plain += rest
            break
        if word in VALUES:
            options += [word, *rest[: VALUES[word]]]
            rest = rest[VALUES[word] :]
        elif word == "--from-file" or (word[:1] == "-" and word[:2] != "--" and "f" in word):
            from_file = True
            options += [f"-{word[1:].replace('f', '')}"] if word[:2] != "--" and len(word) > 2 else []
        elif word.startswith("-") and word != "-":
            options.append(word)
        else:
            plain.append(word)
    if from_file and plain:
        source = plain[0]
    return Call(tuple(options), plain[0] if plain and not from_file else None, source, tuple(plain[1:]))


def jq(seconds: Callable[[], float], ended: Callable[[], None]) -> Callable[[Context, list[str]], Output]:
    """The command.

    Args:
        seconds: what is left of the script's real time.
        ended: what to do when that was not enough.
    """

    def run(context: Context, argv: list[str]) -> Output:
        call = parsed(argv)
        program = call.program
        if call.source:
            try:
                program = context.files.read(call.source)
            except OSError:
                where = f"Could not open {call.source}: No such file or directory"
                return Output("", f"jq: error: {where}\n", 2)
        if program is None:
            return context.spawn(argv, context.stdin, own=True)[0]
        program = with_now(program, context.cluster.now())
        line = ["jq", *call.options, program, *call.inputs]
        if not builds(program):
            return context.spawn(line, context.stdin, own=True)[0]
        files = {
            absolute(word, context.cwd): text
            for word in line
            if word != program and (text := _read(context, word)) is not None
        }
        answer = run_apart(line, context.stdin, files, context.cwd, context.env, seconds())
        if answer is None:
            ended()
            return Output("", "", 124)
        return Output(*answer)

    return run


def _read(context: Context, path: str) -> str | None:
    try:
        return context.files.read(path)
    except OSError:
        return None
