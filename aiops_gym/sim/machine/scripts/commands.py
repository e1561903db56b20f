"""Commands that change their shell or take time; the rest are in `tools`, and in the image."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine import executables
from aiops_gym.sim.machine.program import find
from aiops_gym.sim.machine.scripts import (
    background,
    declaring,
    printf,
    reading,
    scope,
    signals,
    state,
    streams,
    tools,
    wrappers,
)
from aiops_gym.sim.machine.scripts.allowance import DEAR, KILLED, PER_CHARACTERS, UTILITY
from aiops_gym.sim.machine.scripts.files import Files, make_absolute
from aiops_gym.sim.machine.scripts.options import LONG_OPTIONS, SHOPTS
from aiops_gym.sim.machine.scripts.parser import parse, parse_program
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.signals import NAMES
from aiops_gym.sim.machine.scripts.task import Stop
from aiops_gym.sim.machine.toolbox import tools_of
from aiops_gym.types import Output, Timed

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine

Command = Callable[["Machine", list[str]], Stop | None]
SHELLS = executables.SHELLS
OF_BASH = state.OF_BASH
"""Commands that no other shell knows."""

ABOUT = f"""GNU bash, version {scope.BASH_VERSION} ({scope.VERSION[5]})
Copyright (C) 2022 Free Software Foundation, Inc.
License GPLv3+: GNU GPL version 3 or later <http://gnu.org/licenses/gpl.html>

This is free software; you are free to change and redistribute it.
There is NO WARRANTY, to the extent permitted by law.
"""
"""What bash says of itself."""

MOST_ZEROS = 100_000
TOOL = 500
"""Units of work that a tool of an image takes, such as a request over the network."""

LOOPS = ("while", "for", "cfor", "select")


def run(machine: Machine, argv: list[str]) -> Stop | None:
    """Run a command; `$?` is 0 unless it says otherwise."""
    task, name = machine.task, argv[0]
    if name in task.functions and not machine.through:
        call_function(machine, argv)
        return None
    base = name.rpartition("/")[2]
    machine.before, task.code = task.code, 0
    if (started := machine.host.launch(machine, argv)) is not None:
        return started
    if (
        not knows(machine, base)
        or (base != name and not _lies(machine, name))
        or not tools.does(machine, base, argv[1:])
    ):
        return _other(machine, argv, base)
    if base in COMMANDS:
        return COMMANDS[base](machine, argv)
    task.code = tools.TOOLS[base](machine, [base, *argv[1:]])
    return None


def call_function(machine: Machine, argv: list[str]) -> None:
    """Begin a function of the script."""
    task, name = machine.task, argv[0]
    outer = task.traps.get("RETURN") if "T" in task.options else task.traps.pop("RETURN", None)
    task.push("call", task.args, {}, name, machine.line, outer, False)
    task.args = [task.args[0] if task.args else "sh", *argv[1:]]
    body = task.functions[name]
    task.push(body[0], body, 0)


def knows(machine: Machine, base: str) -> bool:
    """Whether a command is one of those that the machine does itself."""
    if base in OF_BASH and machine.dialect != "bash" and (base != "source" or machine.dialect == "dash"):
        return False
    return base in COMMANDS or base in tools.TOOLS


def _lies(machine: Machine, path: str) -> bool:
    image = machine.c.image()
    return image is not None and executables.resolve(image, path, machine.task.cwd) != ""


def _other(machine: Machine, argv: list[str], base: str) -> Stop | None:
    """A tool of the image, a program of its, a script in a file, a utility that the image has, or nothing."""
    c, image, source = machine.c, machine.c.image(), machine.stdin()
    own = base in SHELLS or base in tools.FORMS
    found = None if own else tools_of(c.world, c.key).get(base)
    resolved = executables.resolve(image, argv[0], machine.task.cwd, machine.get("PATH") or "") if image else ""
    path = "" if resolved else find_file(machine, argv[0])
    text = source[1] if source[0] == "text" else "\0" * min(source[1], MOST_ZEROS) if source[0] == "zero" else ""
    if path and machine.files.kind(path) == "directory":
        what = "Is a directory" if machine.dialect == "bash" else "Permission denied"
        machine.blame(f"{argv[0]}: {what}")
        machine.task.code = 126
        return None
    if path and (script := machine.files.read(path)) is not None:
        if machine.files.is_written(path) and not machine.files.mode(path) & 0o111:
            machine.write("2", f"{machine.name}: 1: {argv[0]}: Permission denied\n")
            machine.task.code = 126
        else:
            shell = "bash" if re.match(r"#!.*bash", script) else ""
            machine.enter_shell(
                parse_program(script, shell or machine.dialect), argv, fresh=True, shell=shell, given=""
            )
        return None
    if found is not None and (resolved or base not in executables.load_commands()):
        machine.allowance.left -= TOOL
        output = found(c, [base, *argv[1:]], text)
    elif resolved and image is not None and base in image.binaries:
        output = find(c.world, image.binaries[base].program).again(c, argv)
    elif resolved and c.world.dynamics.utility is not None:
        output = c.world.dynamics.utility(c, [base, *argv[1:]], text, machine.task.cwd, machine.environment())
        machine.files = Files(c, machine.task.mask)  # what was there before may have been taken away
        moved = len(text) + len(output.stdout) + len(output.stderr)
        machine.allowance.left -= DEAR if output.code == KILLED else UTILITY + moved // PER_CHARACTERS
    elif base in tools.TOOLS and resolved:
        machine.task.code = tools.TOOLS[base](machine, [base, *argv[1:]])
        return None
    else:
        machine.write("2", f"{tell_absent(machine, argv[0])}\n")
        machine.task.code = 127
        return None
    _take(machine, output)
    return None


def find_file(machine: Machine, word: str) -> str:
    """The file that a word names which is no command: by its path, or on the path; "" for none."""
    if "/" in word:
        return make_absolute(word, machine.task.cwd)
    for folder in (machine.get("PATH") or "").split(":"):
        place = make_absolute(f"{folder or '.'}/{word}", machine.task.cwd)
        files = machine.files
        if files.kind(place) == "file" and files.is_written(place) and files.mode(place) & 0o111:
            return place
    return ""


def _take(machine: Machine, output: Output) -> None:
    """What a tool printed, wrote and waited for."""
    machine.write("1", output.stdout)
    machine.write("2", output.stderr)
    machine.task.code = output.code
    if isinstance(output, Timed):
        machine.waited += round(output.seconds * 1000)
        for name, content in output.files.items():
            machine.files.write(make_absolute(name, machine.task.cwd), content)


def tell_absent(machine: Machine, word: str) -> str:
    """What is said of a command that there is not, by whom was to start it."""
    name, image = machine.name, machine.c.image()
    if machine.through == "env" and image is not None and image.sh == "busybox":
        return f"env: can't execute '{word}': No such file or directory"
    if machine.through == "env":
        return f"env: '{word}': No such file or directory"
    by = "exec: " if machine.through == "exec" else ""
    if name.rpartition("/")[2] == "bash":
        return f"{name}: line 1: {by}{word}: {'not found' if by else 'command not found'}"
    return f"{name}: 1: {by}{word}: not found"


def _sleep(machine: Machine, argv: list[str]) -> Stop | None:
    total = 0.0
    for word in argv[1:]:
        if word in ("infinity", "inf"):
            return Stop("forever")
        unit = wrappers.UNITS.get(word[-1:], 0)
        try:
            total += float(word[:-1] if unit else word) * (unit or 1)
        except ValueError:
            more = "Try 'sleep --help' for more information.\n" if machine.dialect == "dash" else ""
            machine.write("2", f"sleep: invalid time interval '{word}'\n{more}")
            machine.task.code = 1
            return None
    return Stop("sleep", max(1, int(min(total, 1e9) * 1000)))


def _code(machine: Machine, argv: list[str]) -> int:
    """The exit code that `exit` or `return` is given."""
    if len(argv) < 2:
        return machine.before
    if re.fullmatch(r"[-+]?\d+", argv[1]):
        return int(argv[1]) & 255
    wrong = f"{argv[1]}: numeric argument required" if machine.dialect == "bash" else f"Illegal number: {argv[1]}"
    machine.blame(f"{argv[0]}: {wrong}")
    return 2


def _exit(machine: Machine, argv: list[str]) -> Stop | None:
    return machine.leave(_code(machine, argv))


def _return(machine: Machine, argv: list[str]) -> Stop | None:
    place = next((frame[0] for frame in reversed(machine.task.stack) if frame[0] in ("call", "source")), "")
    if not place and machine.dialect == "bash":
        machine.blame("return: can only `return' from a function or sourced script")
        machine.task.code = 2
        return None
    if not place:
        return _exit(machine, argv)
    code = _code(machine, argv)
    machine.unwind("call", "source")
    machine.task.code = code
    return None


def _loop(machine: Machine, argv: list[str]) -> Stop | None:
    """`break` and `continue`."""
    stack, left = machine.task.stack, int(argv[1]) if len(argv) > 1 and is_natural(argv[1]) else 1
    for more in reversed(range(min(left, sum(frame[0] in LOOPS for frame in stack)))):
        machine.unwind(*LOOPS)
        if argv[0] == "break" or more:
            stack.pop()
        elif stack[-1][0] == "while":
            stack[-1][2] = 2
    if machine.dialect == "bash" and not any(frame[0] in LOOPS for frame in stack) and not left:
        machine.task.code = 1
    return None


def _exec(machine: Machine, argv: list[str]) -> Stop | None:
    if len(argv) == 1:
        return None
    task = machine.task
    while task.stack and task.stack[-1][0] != "shell":
        task.stack.pop()
    for signal in NAMES:
        machine.host.trap(signal, None)
    if task.stack:
        task.stack[-1][2] = None
    words, name = argv[1:], ""
    while words and words[0] in ("-a", "-c", "-l"):
        name = words[1] if words[0] == "-a" and words[1:] else name
        words = words[2 if words[0] == "-a" else 1 :]
    stop = wrappers.run_through(machine, "exec", words) if words else None
    if name and task.args[:1] == words[:1]:
        task.args = [name, *task.args[1:]]
    return stop


def _source(machine: Machine, argv: list[str]) -> Stop | None:
    """`. file [argument ...]`."""
    if len(argv) < 2:
        if machine.dialect == "bash":
            machine.blame(f"{argv[0]}: filename argument required")
            machine.task.code = 2
        return None
    path = make_absolute(argv[1], machine.task.cwd)
    text = "" if argv[1] == "/dev/null" else machine.files.read(path)
    if argv[1] in ("/dev/stdin", "-") and machine.stdin()[0] == "text":
        text = machine.stdin()[1]
    if text is None and machine.dialect == "bash":
        machine.blame(f"{argv[1]}: No such file or directory")
        machine.task.code = 1
        return None
    if text is None:
        raise ScriptError(f"{argv[0]}: cannot open {argv[1]}: No such file")
    try:
        node = parse(text, machine.dialect)
    except ScriptError as error:
        if machine.dialect != "bash":
            raise
        machine.blame_syntax(error)
        machine.task.code = 2
        return None
    machine.task.push("source", machine.task.args)
    if len(argv) > 2 and machine.dialect == "bash":
        machine.task.args = [machine.name, *argv[2:]]
    machine.task.push("list", node, 0)
    return None


def _shell(machine: Machine, argv: list[str]) -> Stop | None:
    """`sh -c script`, `sh file`, or a script on standard input."""
    flags, words = split_options(argv[1:])
    if "--version" in argv[1:2] and argv[0].rpartition("/")[2] == "bash":
        machine.write("1", ABOUT)
        return None
    if flags[-1:] == "c" and not words:
        wrong = "-c: option requires an argument" if "bash" in argv[0] else "0: -c requires an argument"
        machine.write("2", f"{argv[0]}: {wrong}\n")
        machine.task.code = 2
        return None
    name = argv[0].rpartition("/")[2]
    shell = "bash" if name == "bash" else ""
    given = {
        "options": "".join(sorted(set(flags) & set("eufxCan"))),
        "shell": shell,
        "given": "c" if "c" in flags else "",
    }
    before = machine.task.shell
    machine.task.shell = shell
    dialect = machine.dialect if shell else _dialect_of(machine)
    machine.task.shell = before
    if "c" in flags and words:
        text, args = words[0], words[1:] or [argv[0]]
    elif words and "s" not in flags:
        found = machine.files.read(make_absolute(words[0], machine.task.cwd))
        if found is None:
            wrong = f"{words[0]}: No such file or directory" if shell else f"0: cannot open {words[0]}: No such file"
            machine.write("2", f"{argv[0]}: {wrong}\n")
            machine.task.code = 127 if shell else 2
            return None
        text, args = found, words
    else:
        source = machine.stdin()
        text, args = source[1] if source[0] == "text" else "", [argv[0], *words]
        machine.consume(source, "")
        given["given"] = "s"
    if "n" in flags:
        return _check_syntax(machine, argv[0], text, dialect)
    machine.enter_shell(parse_program(text, dialect), args, fresh=True, **given)
    modes = [argv[at + 1] for at, word in enumerate(argv[:-1]) if word == "-O" and argv[at + 1] in SHOPTS]
    machine.task.modes = [*machine.task.modes, *(["pipefail"] if "p" in flags else []), *modes]
    return None


def _dialect_of(machine: Machine) -> str:
    image = machine.c.image()
    return "busybox" if image is not None and image.sh == "busybox" else "dash"


def _check_syntax(machine: Machine, name: str, text: str, dialect: str) -> Stop | None:
    """`bash -n`: nothing is run."""
    try:
        parse(text, dialect)
    except ScriptError as error:
        machine.write("2", f"{name}: -c: line {error.line}: {error.bash.partition(chr(0))[0]}\n")
        machine.task.code = 2
    return None


def split_options(words: list[str]) -> tuple[str, list[str]]:
    """The letters that a shell is started with, and the words after them: `-eu -o pipefail -c script`."""
    left, letters = list(words), ""
    while left and left[0].startswith(("-", "+")) and len(left[0]) > 1:
        word = left.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            continue
        told = word[1:] if word[0] == "-" else ""
        if word in ("-O", "+O") and left:
            left.pop(0)
            continue
        if "o" in word and left:
            name = left.pop(0)
            told = told.replace("o", "") + ("p" if name == "pipefail" else LONG_OPTIONS.get(name, ""))
        letters += told
    return letters, left


def _serve(machine: Machine, argv: list[str]) -> Stop | None:
    """Small servers: `httpd -f -p PORT -h FOLDER`, `nc -l -p PORT`, `python3 -m http.server PORT`."""
    name, words = argv[0].rpartition("/")[2], argv[1:]
    ports = [int(w.rpartition(":")[2]) for w in words if is_natural(w.rpartition(":")[2])]
    listens = name != "nc" or any(w.startswith("-") and "l" in w for w in words)
    if (name.startswith("python") and "http.server" not in words) or not listens:
        return _other(machine, argv, name)
    port = ports[-1] if ports else 8000 if name.startswith("python") else 80
    folder = next((words[i + 1] for i, w in enumerate(words[:-1]) if w in ("-h", "-d", "--directory")), "")
    source = machine.stdin()
    serving = (
        {"folder": make_absolute(folder or ".", machine.task.cwd)}
        if name != "nc"
        else {"text": source[1] if source[0] == "text" else ""}
    )
    machine.c.remember(serving={**machine.c.state.get("serving", {}), str(port): serving})
    machine.c.listen(port)
    daemon = name == "httpd" and not any(w.startswith("-") and "f" in w for w in words)
    return None if daemon else Stop("forever")


def _times(machine: Machine, argv: list[str]) -> Stop | None:
    """Processor time, of the shell and of what it ran."""
    machine.write("1", "0m0.002s 0m0.001s\n0m0.003s 0m0.002s\n")
    return None


def _hash(machine: Machine, argv: list[str]) -> Stop | None:
    """Where commands were found is looked up each time."""
    machine.write("1", "hash: hash table empty\n" if machine.dialect == "bash" and len(argv) == 1 else "")
    return None


def _nothing(machine: Machine, argv: list[str]) -> Stop | None:
    return None


COMMANDS: dict[str, Command] = {
    **streams.COMMANDS,
    **state.COMMANDS,
    **signals.COMMANDS,
    **background.COMMANDS,
    "sleep": _sleep,
    **declaring.COMMANDS,
    **reading.COMMANDS,
    **printf.COMMANDS,
    "exit": _exit,
    "return": _return,
    "break": _loop,
    "continue": _loop,
    "exec": _exec,
    ".": _source,
    "source": _source,
    "httpd": _serve,
    "nc": _serve,
    "python3": _serve,
    "python": _serve,
    **dict.fromkeys(SHELLS, _shell),
    "times": _times,
    "hash": _hash,
    **wrappers.COMMANDS,
    **dict.fromkeys(
        ("ulimit", "stty", "disown", "pause", "enable", "bind", "complete", "history"),
        _nothing,
    ),
}

__all__ = ["COMMANDS", "run"]
