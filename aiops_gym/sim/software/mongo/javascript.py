"""Runs what was typed into a mongo shell: JavaScript in an embedded engine that can reach nothing but one connection.

The engine cannot be given both a time limit and a way to call back, so it has none: a command without a known reply
ends the run, the server is asked, and the script starts again with one reply more. Each command is carried out once.
Scripts see the world's clock and seeded chance only, so every run takes the same path; one that looked at neither takes
it in every world, and how it ended is remembered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from time import monotonic
from typing import Any, NamedTuple

from aiops_gym.caches import Cache, Entry
from aiops_gym.types import Json

Ask = Callable[[str, Json], Json]
"""(database, command) -> reply."""

COMMANDS = 400
SECONDS = 1.5
"""Of the host's time, for one script in all: only a script that never ends meets it."""

MEMORY = 48 << 20
STACK = 256 << 10
OUTPUT = 1 << 20
REMEMBERED = 500
"""Runs whose end is remembered."""

LONGEST = 4_096
"""Characters of the statements and replies of a run that is remembered, at most."""

WORDS = ("use", "show", "it", "exit", "help")


class Setting(NamedTuple):
    """What a script sees around it: current database, clock in ms, seed of `Math.random`, server version, address."""

    database: str
    now: int
    entropy: int
    version: str
    host: str


class Done(NamedTuple):
    """What a script left: lines printed, an error that ended it or "", and the code given to `quit` or None."""

    output: list[str]
    error: str
    code: int | None


class _Suspended(NamedTuple):
    asked: str
    """JSON: database and command."""


_Ended = Done | _Suspended

_remembered: Cache[_Ended] = Cache(
    Entry(
        f"{__name__}.ended",
        "a run of the mongo shell's engine that looked neither at the clock nor at chance",
        key="statements, replies so far, database, version, host, how it prints",
        bound=REMEMBERED,
    )
)


@cache
def _engine() -> Any:
    """The engine costs megabytes, and most episodes never open a mongo shell."""
    return import_module("quickjs")


@cache
def _prelude() -> str:
    return files(__package__).joinpath("prelude.js").read_text(encoding="utf-8")


def run(statements: Sequence[str], setting: Setting, ask: Ask, forgiving: bool, printing: bool = True) -> Done:
    """Run statements one after the other.

    Args:
        statements: complete ones, see `split`.
        setting: what they see.
        ask: the connection.
        forgiving: print an error and go on, as with input that is typed.
        printing: print the value of each statement; of the last one only where it is not forgiving.
    """
    replies: list[str] = []
    end = monotonic() + SECONDS
    while True:
        left = end - monotonic()
        if left <= 0 or len(replies) > COMMANDS:
            return Done([], "Error: operation exceeded time limit", None)
        try:
            result = _ended(statements, setting, replies, forgiving, printing, left)
            if isinstance(result, Done):
                return result
            database, command = json.loads(result.asked)
        except (_engine().JSException, RecursionError, TypeError, ValueError) as problem:
            # a script may break the shell it runs in, or leave it no memory to say what happened
            return Done(
                [], f"Error: {'Out of memory' if str(problem).startswith('null') else 'the shell is broken'}", None
            )
        replies.append(json.dumps(ask(database, command)))


def was_stopped(done: Done) -> bool:
    """Whether statements ran until their time was up."""
    return "Error: interrupted" in done.error or "operation exceeded time limit" in done.error


def _ended(
    statements: Sequence[str], setting: Setting, replies: list[str], forgiving: bool, printing: bool, left: float
) -> _Ended:
    """How a run ends; remembered where neither the moment nor chance nor the host's time had a say in it."""
    seen = (setting.database, setting.version, setting.host, forgiving, printing)
    key = (tuple(statements), tuple(replies), *seen)
    found = _remembered.seen(key)
    if found is None:
        found, lasting = _once(statements, setting, replies, forgiving, printing, left)
        if lasting and sum(map(len, (*statements, *replies))) <= LONGEST:
            _remembered.put(key, found)
    return found


def _once(
    statements: Sequence[str], setting: Setting, replies: list[str], forgiving: bool, printing: bool, left: float
) -> tuple[_Ended, bool]:
    """How a run ends, and whether it would end so at any moment, by any chance; not said of one that met an error."""
    context = _engine().Context()
    context.set_memory_limit(MEMORY)
    context.set_max_stack_size(STACK)
    context.eval(_prelude())
    fixed = {"__replies": replies, "__now": setting.now, "__entropy": setting.entropy, "__version": setting.version}
    for name, value in {**fixed, "__host": setting.host}.items():
        context.eval(f"{name} = {json.dumps(value)};")
    context.eval(f"__setDb({json.dumps(setting.database)});")
    context.set_time_limit(max(left, 0.01))
    error, smooth = "", True
    for number, statement in enumerate(statements):
        shown = printing and (forgiving or number == len(statements) - 1)
        try:
            _evaluate(context, _translated(statement).replace("\0", "\ufffd"))
            if shown:
                context.eval("__show(__r)")
        except _engine().JSException as problem:
            error = _uncaught(context, str(problem), statement)
        except UnicodeEncodeError:
            error = "uncaught exception: SyntaxError: illegal character :\n@(shell):1:1"
        pending, code = context.eval("__pending"), context.eval("__exit")
        if pending is not None:
            return _Suspended(pending), smooth and not context.eval("__looked")
        if code is not None:
            return Done(_lines(context), "", int(code)), smooth and not context.eval("__looked")
        if error and not forgiving:
            return Done(_lines(context), error, None), False
        if error:
            context.eval(f"__output.push({json.dumps(error)})")
            error, smooth = "", False
    return Done(_lines(context), "", None), smooth and not context.eval("__looked")


def _evaluate(context: Any, source: str) -> None:
    """Run a statement and leave its value in `__r`, as an expression where it is one: only so is null not undefined."""
    before = context.eval("__r = undefined; __asked + __output.length")
    try:
        context.eval(f"void (__r = (\n{source.strip().rstrip(';')}\n))")
    except _engine().JSException as problem:
        if not str(problem).startswith("SyntaxError") or context.eval("__asked + __output.length") != before:
            raise
        value = context.eval(source)
        if value is not None:
            context.set("__r", value)


def _lines(context: Any) -> list[str]:
    lines: list[str] = json.loads(context.eval("JSON.stringify(__output)"))
    text = "\n".join(map(str, lines))[:OUTPUT].encode("utf-8", "replace").decode()  # JavaScript allows half characters
    return text.split("\n") if lines else []


def _translated(statement: str) -> str:
    """The shell's own words (`use`, `show`, `it`) as JavaScript."""
    word, _, rest = statement.strip().rstrip(";").partition(" ")
    if word == "use" and rest.strip():
        return f"__use({json.dumps(rest.strip())})"
    if word == "show" and rest.strip():
        shown = f"__showWhat({json.dumps(rest.strip())})"
        return f"__frames = []; try {{ {shown} }} catch (e) {{ __frames = __frames.concat(__tail); throw e }}"
    if word == "it" and not rest:
        return "typeof ___it === 'undefined' ? print('no cursor') : ___it"
    if word == "exit" and not rest:
        return "quit(0)"
    if word == "help" and not rest:
        return "print(help)"
    return statement


def _uncaught(context: Any, problem: str, statement: str) -> str:
    """An error as the shell reports it: `uncaught exception: Error: ... :` and where."""
    message = problem.split("\n    at ", maxsplit=1)[0].rstrip("\n").removesuffix("\nundefined")
    frames: list[str] = json.loads(context.eval("var f = JSON.stringify(__frames); __frames = []; f"))
    if "out of memory" in message or message.startswith("InternalError: interrupted"):
        message = "Error: Out of memory" if "memory" in message else "Error: interrupted"
    if message.startswith("SyntaxError"):
        return f"uncaught exception: {message} :\n@(shell):1:1"
    if message.startswith("ReferenceError") and "'" in message:
        message = message.replace("'", "")
    tail = [] if frames and frames[-1].startswith("@(shellhelp2)") else ["@(shell):1:1"]
    return f"uncaught exception: {message} :\n" + "\n".join([*frames, *tail])


def split(text: str) -> list[str]:
    """The statements of typed input: a line each, or more lines until all brackets are closed.

    >>> split("use admin\\ndb.getUsers({\\n  a: '}'\\n})\\n")
    ['use admin', "db.getUsers({\\n  a: '}'\\n})"]
    """
    found: list[str] = []
    held = ""
    for raw in text.split("\n"):
        held = f"{held}\n{raw}" if held else raw
        if held.strip() and (_closed(held) or held.strip().partition(" ")[0] in WORDS):
            found.append(held)
            held = ""
        elif not held.strip():
            held = ""
    return [*found, held] if held.strip() else found


def _closed(text: str) -> bool:
    """Whether all brackets, quotes and comments are closed, as far as a shell can tell without parsing."""
    depth, i, quote = 0, 0, ""
    while i < len(text):
        char = text[i]
        if quote:
            if char == "\\":
                i += 1
            elif char == quote:
                quote = ""
        elif char in "\"'`":
            quote = char
        elif text.startswith("//", i):
            i = text.find("\n", i) if "\n" in text[i:] else len(text)
        elif text.startswith("/*", i):
            end = text.find("*/", i)
            if end < 0:
                return False
            i = end + 1
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        i += 1
    return depth <= 0 and quote != "`"
