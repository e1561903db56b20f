"""Commands that change their shell or take time; the rest are in `tools`, and in the image."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.scripts import streams, tools
from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.parser import NAME, ScriptError, parse
from aiops_gym.sim.machine.scripts.task import Stop
from aiops_gym.sim.machine.toolbox import tools_of
from aiops_gym.types import Output, Timed

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine

Command = Callable[["Machine", list[str]], Stop | None]
SHELLS = ("sh", "bash", "ash", "dash")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
SECONDS = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)")
LONG_OPTIONS = {"errexit": "e", "nounset": "u", "xtrace": "x"}
TOOL = 500
"""Units of work that a tool of an image takes, such as a request over the network."""

LOOPS = ("while", "for")
SIGNALS = {"1": "HUP", "2": "INT", "3": "QUIT", "9": "KILL", "15": "TERM", "0": "EXIT", "10": "USR1", "12": "USR2"}


def run(machine: Machine, argv: list[str]) -> Stop | None:
    """Run a command; `$?` is 0 unless it says otherwise."""
    task, name = machine.task, argv[0]
    if name in task.functions:
        task.push("call", task.args)
        task.args = [task.args[0] if task.args else "sh", *argv[1:]]
        body = task.functions[name]
        task.push(body[0], body, 0)
        return None
    base = name.rpartition("/")[2]
    task.code = 0
    if (started := machine.host.launch(machine, argv)) is not None:
        return started
    if base in COMMANDS:
        return COMMANDS[base](machine, argv)
    if base in tools.TOOLS:
        task.code = tools.TOOLS[base](machine, [base, *argv[1:]])
        return None
    return _other(machine, argv, base)


def _other(machine: Machine, argv: list[str], base: str) -> Stop | None:
    """A tool of the image, a script in a file, or nothing."""
    found = tools_of(machine.c.world, machine.c.key).get(base)
    path = make_absolute(argv[0], machine.task.cwd) if "/" in argv[0] else ""
    source = machine.stdin()
    if found is not None:
        machine.allowance.left -= TOOL
        output = found(machine.c, [base, *argv[1:]], source[1] if source[0] == "text" else "")
        machine.write("1", output.stdout)
        machine.write("2", output.stderr)
        machine.task.code = output.code
        if isinstance(output, Timed):
            machine.waited += round(output.seconds * 1000)
            for name, content in output.files.items():
                machine.files.write(make_absolute(name, machine.task.cwd), content)
    elif path and (text := machine.files.read(path)) is not None:
        machine.enter_shell(parse(_body(text)), argv)
    elif (other := _beside(machine, base, argv[1:])) is not None:
        machine.write("1", other.stdout)
        machine.write("2", other.stderr)
        machine.task.code = other.code
    else:
        machine.write("2", f"{_absent(machine, argv[0])}\n")
        machine.task.code = 127
    return None


def _absent(machine: Machine, word: str) -> str:
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


def _beside(machine: Machine, name: str, arguments: list[str]) -> Output | None:
    """A tool that is run as if from outside, None if the image has none of that name."""
    c, exec_, source = machine.c, machine.c.world.dynamics.exec, machine.stdin()
    image = c.image()
    if exec_ is None or image is None or not image.shell:
        return None
    text = source[1] if source[0] == "text" else ""
    machine.allowance.settle()
    output = exec_(c.world, str(c.process["pod"]), str(c.process["container"]), [name, *arguments], text)
    machine.allowance.renew()
    return None if output.code == 126 and output.stderr.startswith("OCI runtime") else output


def _body(text: str) -> str:
    return text.partition("\n")[2] if text.startswith("#!") else text


def _sleep(machine: Machine, argv: list[str]) -> Stop | None:
    total = 0.0
    for word in argv[1:]:
        if word in ("infinity", "inf"):
            return Stop("forever")
        unit = UNITS.get(word[-1:], 0)
        try:
            total += float(word[:-1] if unit else word) * (unit or 1)
        except ValueError:
            machine.write("2", f"sleep: invalid time interval '{word}'\n")
            machine.task.code = 1
            return None
    return Stop("sleep", max(1, int(min(total, 1e9) * 1000)))


def _exit(machine: Machine, argv: list[str]) -> Stop | None:
    task = machine.task
    code = int(argv[1]) & 255 if len(argv) > 1 and is_natural(argv[1]) else task.code
    while task.stack and task.stack[-1][0] != "shell":
        frame = task.stack.pop()
        if frame[0] == "restore":
            task.fds = frame[1]
    task.code = code
    return None if task.stack else Stop("exit", code=code)


def _return(machine: Machine, argv: list[str]) -> Stop | None:
    task = machine.task
    code = int(argv[1]) & 255 if len(argv) > 1 and is_natural(argv[1]) else 0
    if not any(frame[0] == "call" for frame in task.stack):
        return _exit(machine, argv)
    while task.stack[-1][0] != "call":
        frame = task.stack.pop()
        if frame[0] == "restore":
            task.fds = frame[1]
    task.code = code
    return None


def _loop(machine: Machine, argv: list[str]) -> Stop | None:
    """`break` and `continue`."""
    stack, left = machine.task.stack, int(argv[1]) if len(argv) > 1 and is_natural(argv[1]) else 1
    if not any(frame[0] in LOOPS for frame in stack):
        return None
    while any(frame[0] in LOOPS for frame in stack):
        if stack[-1][0] in LOOPS:
            left -= 1
            if left == 0 and argv[0] == "continue":
                if stack[-1][0] == "while":
                    stack[-1][2] = 2
                return None
            stack.pop()
            if left == 0:
                return None
            continue
        frame = stack.pop()
        if frame[0] == "restore":
            machine.task.fds = frame[1]
    return None


def _exec(machine: Machine, argv: list[str]) -> Stop | None:
    if len(argv) == 1:
        return None
    task = machine.task
    while task.stack and task.stack[-1][0] != "shell":
        task.stack.pop()
    for signal in SIGNALS.values():
        machine.host.trap(signal, None)
    return _run_through(machine, "exec", argv[1:])


def _run_through(machine: Machine, through: str, argv: list[str]) -> Stop | None:
    """Run a command that `exec` or `env` was told to."""
    machine.through, before = through, machine.through
    try:
        return run(machine, argv)
    finally:
        machine.through = before


def _trap(machine: Machine, argv: list[str]) -> Stop | None:
    words = [w for w in argv[1:] if w != "--"]
    if not words or (words[0].startswith("-") and words[0] != "-"):
        return None
    script = None if words[0] == "-" or len(words) == 1 else words[0]
    for word in words[1:] or words:
        machine.host.trap(_signal(word), script)
    return None


def _signal(word: str) -> str:
    plain = word.upper().removeprefix("-").removeprefix("SIG")
    return SIGNALS.get(plain, plain)


def _kill(machine: Machine, argv: list[str]) -> Stop | None:
    words, signal = argv[1:], "TERM"
    if words and words[0] == "-s" and len(words) > 1:
        signal, words = _signal(words[1]), words[2:]
    elif words and words[0].startswith("-") and len(words[0]) > 1:
        signal, words = _signal(words[0]), words[1:]
    for word in words:
        pid = word.removeprefix("%") if word.startswith("%") else word
        signal = "EXIT" if signal == "0" else signal
        known = is_natural(pid) and machine.host.kill(int(pid), signal)
        if not known:
            machine.write("2", f"{machine.name}: 1: kill: No such process\n")
            machine.task.code = 1
    return None


def _wait(machine: Machine, argv: list[str]) -> Stop | None:
    wanted = int(argv[1]) if len(argv) > 1 and is_natural(argv[1]) else 0
    children = machine.host.children()
    if wanted and wanted not in children:
        machine.task.code = machine.host.ended(wanted)
        return None
    if not children:
        return None
    machine.task.waits = wanted
    return Stop("wait")


def _cd(machine: Machine, argv: list[str]) -> Stop | None:
    path = make_absolute(argv[1] if len(argv) > 1 else machine.get("HOME") or "/root", machine.task.cwd)
    if machine.files.kind(path) == "directory":
        machine.task.cwd = path
    else:
        machine.write("2", f"{machine.name}: 1: cd: can't cd to {argv[1] if len(argv) > 1 else path}\n")
        machine.task.code = 2
    return None


def _export(machine: Machine, argv: list[str]) -> Stop | None:
    for word in argv[1:]:
        name, equals, value = word.partition("=")
        if equals and NAME.fullmatch(name):
            machine.set(name, value)
        if argv[0] == "export" and NAME.fullmatch(name):
            machine.task.exports = {**machine.task.exports, name: True}
    return None


def _unset(machine: Machine, argv: list[str]) -> Stop | None:
    for name in argv[1:]:
        machine.task.vars.pop(name, None)
        machine.task.exports = {**machine.task.exports, name: False}
        machine.task.functions = {k: v for k, v in machine.task.functions.items() if k != name}
    return None


def _set(machine: Machine, argv: list[str]) -> Stop | None:
    words, task = argv[1:], machine.task
    while words and words[0].startswith(("-", "+")) and words[0] not in ("--", "-", "+"):
        word = words.pop(0)
        letters = word[1:]
        if "o" in letters and words:
            letters = letters.replace("o", "") + LONG_OPTIONS.get(words.pop(0), "")
        kept = set(task.options) | set(letters) if word[0] == "-" else set(task.options) - set(letters)
        task.options = "".join(sorted(kept))
    if argv[1:2] == ["--"] or words:
        task.args = [machine.name, *[w for w in words if w != "--"]]
    return None


def _shift(machine: Machine, argv: list[str]) -> Stop | None:
    count = int(argv[1]) if len(argv) > 1 and is_natural(argv[1]) else 1
    machine.task.args = [machine.name, *machine.arguments()[count:]]
    return None


def _read(machine: Machine, argv: list[str]) -> Stop | None:
    """One line of standard input; at its end the variables are empty and the code is 1."""
    source = machine.stdin()
    rest = source[1] if source[0] == "text" else ""
    line, newline, left = rest.partition("\n")
    machine.task.code = 0 if newline or line else 1
    names = [word for word in argv[1:] if not word.startswith("-")] or ["REPLY"]
    values = line.split(None, len(names) - 1)
    for index, name in enumerate(names):
        machine.set(name, values[index] if index < len(values) else "")
    fds = {**machine.task.fds, "0": ["text", left]}
    machine.task.fds = fds
    for frame in machine.task.stack:
        if frame[0] == "restore" and frame[1].get("0") == source:
            frame[1] = {**frame[1], "0": ["text", left]}
    return None


def _eval(machine: Machine, argv: list[str]) -> Stop | None:
    machine.task.push("list", parse(" ".join(argv[1:])), 0)
    return None


def _source(machine: Machine, argv: list[str]) -> Stop | None:
    text = machine.files.read(make_absolute(argv[1], machine.task.cwd)) if len(argv) > 1 else None
    if text is None:
        raise ScriptError(f"{argv[0]}: cannot open {argv[1] if len(argv) > 1 else ''}: No such file")
    machine.task.push("list", parse(text), 0)
    return None


def _shell(machine: Machine, argv: list[str]) -> Stop | None:
    """`sh -c script`, `sh file`, or a script on standard input."""
    flags, words = split_options(argv[1:])
    if "c" in flags and words:
        machine.enter_shell(parse(words[0]), words[1:] or [argv[0]])
    elif words:
        text = machine.files.read(make_absolute(words[0], machine.task.cwd))
        if text is None:
            machine.write("2", f"{argv[0]}: 0: cannot open {words[0]}: No such file\n")
            machine.task.code = 2
        else:
            machine.enter_shell(parse(_body(text)), words)
    else:
        source = machine.stdin()
        machine.enter_shell(parse(source[1] if source[0] == "text" else ""), [argv[0]])
    if machine.task.stack and "e" in flags.replace("c", ""):
        machine.task.options += "e"
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
        if "o" in word and left:
            told = told.replace("o", "") + LONG_OPTIONS.get(left.pop(0), "")
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


def _nothing(machine: Machine, argv: list[str]) -> Stop | None:
    return None


def _timeout(machine: Machine, argv: list[str]) -> Stop | None:
    """`timeout SECONDS command`: 124 where the command takes longer."""
    words = [w for w in argv[1:] if not w.startswith("-") or w == argv[-1]]
    found = SECONDS.fullmatch(words[0]) if words else None
    if found is None or len(words) < 2:
        machine.write("2", f"timeout: invalid time interval '{words[0] if words else ''}'\n")
        machine.task.code = 125
        return None
    limit = int(float(found[1]) * UNITS[found[2] or "s"] * 1000)
    words = argv[argv.index(words[0]) + 1 :]
    outcome = machine.aside(["simple", [], [[["single", word]] for word in words], []])
    if outcome.kind == "oom":
        return outcome
    late = outcome.kind != "exit" or outcome.ms > limit
    machine.waited += limit if late else outcome.ms
    machine.task.code = 124 if late else outcome.code
    return None


def _time(machine: Machine, argv: list[str]) -> Stop | None:
    """Commands that run another: `nohup cmd`, `command cmd`, `nice cmd`."""
    words = argv[1:]
    while words and words[0].startswith("-"):
        if words.pop(0) in ("-n", "--adjustment") and words:
            words.pop(0)
    return run(machine, words) if words else None


def _env(machine: Machine, argv: list[str]) -> Stop | None:
    """`env [-i] [-u NAME] [NAME=VALUE ...] [command]`; what it sets is for that command alone."""
    words, task, depth = argv[1:], machine.task, len(machine.task.stack)
    before = dict(task.vars), task.exports
    while words and (words[0].startswith("-") or "=" in words[0]):
        word = words.pop(0)
        if word in ("-", "-i", "--ignore-environment"):
            task.exports = dict.fromkeys((*machine.c.env, *task.vars), False)
        elif word in ("-u", "--unset") and words:
            task.exports = {**task.exports, words.pop(0): False}
        elif word == "-S" and words:
            words = [*words.pop(0).split(), *words]
        elif not word.startswith("-"):
            name, _, value = word.partition("=")
            machine.set(name, value)
            task.exports = {**task.exports, name: True}
    stop = None
    if words:
        stop = _run_through(machine, "env", words)
    else:
        machine.write("1", "".join(f"{name}={value}\n" for name, value in sorted(machine.environment().items())))
    if len(task.stack) == depth:
        task.vars, task.exports = before
    return stop


def _printenv(machine: Machine, argv: list[str]) -> Stop | None:
    environment = machine.environment()
    known = [environment.get(name) for name in argv[1:]]
    machine.write("1", "".join(f"{value}\n" for value in known if value is not None))
    machine.task.code = int(None in known)
    return None if argv[1:] else _env(machine, argv)


COMMANDS: dict[str, Command] = {
    **streams.COMMANDS,
    "sleep": _sleep,
    "exit": _exit,
    "return": _return,
    "break": _loop,
    "continue": _loop,
    "exec": _exec,
    "trap": _trap,
    "kill": _kill,
    "wait": _wait,
    "cd": _cd,
    "export": _export,
    "local": _export,
    "readonly": _export,
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    "read": _read,
    "eval": _eval,
    ".": _source,
    "source": _source,
    "httpd": _serve,
    "nc": _serve,
    "python3": _serve,
    "python": _serve,
    **dict.fromkeys(SHELLS, _shell),
    "timeout": _timeout,
    **dict.fromkeys(("nohup", "command", "nice", "setsid"), _time),
    "env": _env,
    "printenv": _printenv,
    **dict.fromkeys(("umask", "ulimit", "stty", "disown", "shopt", "pause"), _nothing),
}

__all__ = ["COMMANDS", "run"]
