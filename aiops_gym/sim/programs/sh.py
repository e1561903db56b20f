"""A shell as the main process of a container: enough of `sh -c` for start commands, and the small tools themselves.

Understands a list of simple commands joined by newline, `;`, `&&` and `||`, and `while true; do ...; done` around them:
echo, printf, sleep, exit, exec, trap, tail -f, cat of a file, true, false. Anything else is `not found`, as in a shell.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.program import Json, Process, Program

if TYPE_CHECKING:
    from aiops_gym.sim.container import Container

SHELLS = ("sh", "bash", "ash")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
FOREVER = ("infinity", "inf")
LOOP_MS = 10
"""Least time that one turn of an endless loop takes, so that it cannot hold the clock."""


class Sh(Program):
    """Runs its command line one simple command after the other."""

    def start(self, c: Container) -> None:
        """Parse the command line and begin."""
        words, loop = _script(c.argv)
        c.remember(commands=words, loop=loop, at=0, code=0, trap=None)
        c.after(2, "next")

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """Run commands until one takes time."""
        while True:
            at, commands = c.state["at"], c.state["commands"]
            if at >= len(commands):
                self._end(c)
                return
            joiner, words = commands[at]
            code = c.state["code"]
            c.remember(at=at + 1)
            if (joiner == "&&" and code != 0) or (joiner == "||" and code == 0):
                continue
            wait = self._run(c, words)
            if wait is None:
                return
            if wait > 0:
                c.after(wait, "next")
                return

    def terminate(self, c: Container) -> None:
        """SIGTERM: as the first process of a container it is ignored unless trapped."""
        trap = c.state.get("trap")
        if trap:
            words = shlex.split(trap)
            c.exit_in(20, int(words[1]) if len(words) > 1 and words[0] == "exit" and words[1].isdigit() else 0)

    def usage(self, process: Process, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """A small process."""
        return {"cpu": 0.0002, "memory": 1_200_000.0, "threads": 1.0}

    def _end(self, c: Container) -> None:
        if c.state["loop"] is None:
            c.exit(c.state["code"])
        else:
            c.remember(at=c.state["loop"])
            c.after(LOOP_MS, "next")

    def _run(self, c: Container, words: Sequence[str]) -> int | None:
        """Milliseconds that a command takes; None where nothing comes after it."""
        words = [_variables(w, c) for w in (words[1:] if words and words[0] == "exec" else words)]
        name, arguments = words[0] if words else "true", words[1:]
        code = 0
        if name in ("echo", "printf"):
            c.log(*" ".join(a for a in arguments if a != "-e").split("\n"))
        elif name == "sleep":
            return _duration(c, arguments)
        elif name == "exit":
            c.exit(int(arguments[0]) & 255 if arguments and arguments[0].isdigit() else c.state["code"])
            return None
        elif name == "trap":
            c.remember(trap=arguments[0] if arguments else None)
        elif name == "tail" and any(a.startswith("-") and "f" in a.lower() for a in arguments):
            return None
        elif name == "cat":
            code = _cat(c, arguments)
        elif name in ("false", "test"):
            code = 1
        elif name not in (
            "true",
            ":",
            "cd",
            "export",
            "set",
            *SHELLS,
            "env",
            "ls",
            "ps",
            "date",
            "id",
            "pwd",
            "hostname",
        ):
            c.log(f"{c.argv[0]}: 1: {name}: not found")
            code = 127
        c.remember(code=code)
        return 0


def _script(argv: Sequence[str]) -> tuple[list[list[Json]], int | None]:
    """([[joiner, words], ...], where the endless loop begins or None) of a process's command line."""
    base = argv[0].rpartition("/")[2]
    flags = [a for a in argv[1:] if a.startswith("-")]
    if base not in SHELLS:
        return [["", [base, *argv[1:]]]], None
    if not any("c" in f for f in flags):
        return [], None  # no terminal: an interactive shell reads the end of its input and ends
    text = next((a for a in argv[1:] if not a.startswith("-")), "")
    lexer = shlex.shlex(text.replace("\n", " ; "), posix=True, punctuation_chars=";&|<>")
    lexer.whitespace_split = True
    commands: list[list[Json]] = []
    joiner, words, loop = "", list[str](), None
    try:
        tokens = list(lexer)
    except ValueError:
        tokens = ["exit", "2"]
    for token in [*tokens, ";"]:
        if token in (";", "&&", "||", "&", ";;"):
            if words:
                commands.append([joiner, words])
            joiner, words = token.strip(";&") and token if token == "||" else ("&&" if token == "&&" else ""), []
        elif token == "do" and not words:
            if commands and commands[-1][1][0] in ("while", "until"):
                commands.pop()
                loop = len(commands)
        elif token == "done" and not words:
            break
        else:
            words.append(token)
    return commands, loop


def _variables(word: str, c: Container) -> str:
    for name in sorted(c.env, key=len, reverse=True) if "$" in word else ():
        word = word.replace(f"${{{name}}}", c.env[name]).replace(f"${name}", c.env[name])
    return word


def _duration(c: Container, arguments: Sequence[str]) -> int | None:
    if not arguments or arguments[0] in FOREVER:
        return None if arguments else 0
    text = arguments[0]
    unit = UNITS.get(text[-1:], 0)
    try:
        seconds = float(text[:-1] if unit else text) * (unit or 1)
    except ValueError:
        c.log(f"sleep: invalid time interval '{text}'")
        c.remember(code=1)
        return 0
    c.remember(code=0)
    return max(1, int(min(seconds, 1e9) * 1000))


def _cat(c: Container, paths: Sequence[str]) -> int:
    files, code = c.files(), 0
    for path in paths:
        if path in files:
            c.log(*files[path].rstrip("\n").split("\n"))
        else:
            c.log(f"cat: {path}: No such file or directory")
            code = 1
    return code


program = Sh()
