"""Commands that change the state of their shell: its variables, options, arguments, traps and folder."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine import executables
from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.parser import NAME, ScriptError
from aiops_gym.sim.machine.scripts.task import Stop
from aiops_gym.sim.machine.scripts.words import split_line

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine

LONG_OPTIONS = {"errexit": "e", "nounset": "u", "xtrace": "x"}
OPTION = 1_000_000

LEAVING = 7
"""Where the frame of a shell has what is to be done when it ends."""

_NAMES = """
    EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU
    URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS
"""
NAMES = _NAMES.split()
SIGNALS = {str(number): name for number, name in enumerate(NAMES)}
_BUILTINS = """
    . : alias bg break cd command continue echo eval exec exit export false fg getopts hash jobs kill local printf pwd
    read readonly return set shift test times trap true type ulimit umask unalias unset wait [
"""
BUILTINS = frozenset(_BUILTINS.split())
_KEYWORDS = "! { } case do done elif else esac fi for if in then until while"
KEYWORDS = frozenset(_KEYWORDS.split())


def trap(machine: Machine, argv: list[str]) -> Stop | None:
    """What is to be done at signals; in a shell of its own only that for its end counts."""
    words = [w for w in argv[1:] if w != "--"]
    if not words or (words[0].startswith("-") and words[0] != "-"):
        return None
    script = None if words[0] == "-" or len(words) == 1 else words[0]
    shell = next((frame for frame in reversed(machine.task.stack) if frame[0] == "shell"), None)
    for word in words[1:] or words:
        if shell is None:
            machine.host.trap(find_signal(word), script)
        elif find_signal(word) == "EXIT":
            shell[LEAVING:] = [script] if script else []
    return None


def find_signal(word: str) -> str:
    """The name of a signal, which may be given as a number."""
    plain = word.upper().removeprefix("-").removeprefix("SIG")
    return SIGNALS.get(plain, plain)


def cd(machine: Machine, argv: list[str]) -> Stop | None:
    """`cd [folder]`; `-` is where it was before."""
    word = argv[1] if len(argv) > 1 else machine.get("HOME") or "/root"
    path = make_absolute((machine.get("OLDPWD") or "") if word == "-" else word, machine.task.cwd)
    if machine.files.kind(path) == "directory":
        machine.task.vars["OLDPWD"] = machine.task.cwd
        machine.task.cwd = path
        machine.write("1", f"{path}\n" if word == "-" else "")
    else:
        machine.write("2", f"{machine.name}: 1: cd: can't cd to {word}\n")
        machine.task.code = 2
    return None


def declare(machine: Machine, argv: list[str]) -> Stop | None:
    """`export`, `readonly` and `local`."""
    task, verb = machine.task, argv[0]
    call = next((frame for frame in reversed(task.stack) if frame[0] == "call"), None)
    if verb == "local" and call is None:
        raise ScriptError("local: not in a function")
    if not argv[1:] or argv[1] == "-p":
        names = sorted(task.fixed if verb == "readonly" else machine.environment()) if verb != "local" else ()
        machine.write("1", "".join(f"{verb} {name}={quote(machine.get(name) or '')}\n" for name in names))
        return None
    for word in argv[1:]:
        name, equals, value = word.partition("=")
        if not NAME.fullmatch(name):
            raise ScriptError(f"{verb}: {name}: bad variable name")
        if verb == "local" and call is not None:
            call[2].setdefault(name, task.vars.get(name))
        if equals:
            machine.set(name, value)
        if verb == "export":
            task.exports = {**task.exports, name: True}
        elif verb == "readonly":
            task.fixed = [*task.fixed, name]
    return None


def unset(machine: Machine, argv: list[str]) -> Stop | None:
    """Forget variables and functions."""
    for name in argv[1:]:
        machine.task.vars.pop(name, None)
        machine.task.exports = {**machine.task.exports, name: False}
        machine.task.functions = {k: v for k, v in machine.task.functions.items() if k != name}
    return None


def set_(machine: Machine, argv: list[str]) -> Stop | None:
    """Options, and with words after them the arguments."""
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


def shift(machine: Machine, argv: list[str]) -> Stop | None:
    """Drop the first arguments."""
    count = int(argv[1]) if len(argv) > 1 and is_natural(argv[1]) else 1
    if count > len(machine.arguments()):
        if machine.dialect == "dash":
            raise ScriptError("shift: can't shift that many")
        machine.task.code, count = 1, 0
    machine.task.args = [machine.name, *machine.arguments()[count:]]
    return None


def read(machine: Machine, argv: list[str]) -> Stop | None:
    """One line of standard input; at its end the variables are empty and the code is 1."""
    source, raw = machine.stdin(), "-r" in argv
    left, line, newline = source[1] if source[0] == "text" else "", "", ""
    while True:
        piece, newline, left = left.partition("\n")
        line += piece
        if raw or not newline or (len(piece) - len(piece.rstrip("\\"))) % 2 == 0:
            break
        line = line[:-1]
    machine.task.code = 0 if newline else 1
    names = [word for word in argv[1:] if not word.startswith("-")] or ["REPLY"]
    values = split_line(line, len(names), " \t\n" if (given := machine.get("IFS")) is None else given, raw)
    for index, name in enumerate(names):
        machine.set(name, values[index] if index < len(values) else "")
    fds = {**machine.task.fds, "0": ["text", left]}
    machine.task.fds = fds
    for frame in machine.task.stack:
        if frame[0] == "restore" and frame[1].get("0") == source:
            frame[1] = {**frame[1], "0": ["text", left]}
    return None


def getopts(machine: Machine, argv: list[str]) -> Stop | None:
    """The next option of the arguments; OPTIND counts words, and letters within one by hundreds."""
    wanted, name = argv[1], argv[2]
    given, (letter, at) = argv[3:] or machine.arguments(), divmod(int(machine.get("OPTIND") or 1), OPTION)
    word = given[at - 1] if at <= len(given) else ""
    if not word.startswith("-") or word in ("-", "--"):
        machine.set(name, "?")
        machine.set("OPTIND", str(at + (word == "--")))
        machine.task.code = 1
        return None
    found, rest = word[letter + 1], word[letter + 2 :]
    place, takes = wanted.lstrip(":").find(found), f"{found}:" in wanted
    machine.task.vars.pop("OPTARG", None)
    machine.set(name, found if place >= 0 and found != ":" else "?")
    if machine.get(name) == "?":
        machine.set("OPTARG", found) if wanted[0] == ":" else machine.write("2", f"Illegal option -{found}\n")
    elif takes and not rest and at >= len(given):
        machine.set(name, ":" if wanted[0] == ":" else "?")
        machine.set("OPTARG", found) if wanted[0] == ":" else machine.write("2", f"No arg for -{found} option\n")
    elif takes:
        machine.set("OPTARG", rest or given[at])
        at, rest = at + (not rest), ""
    machine.set("OPTIND", str(at + (letter + 1) * OPTION if rest else at + 1))
    return None


def find_type(machine: Machine, argv: list[str]) -> Stop | None:
    """`type name ...` and `command -v name ...`: what a word would run."""
    quiet, image = argv[0] == "command", machine.c.image()
    for word in argv[2 if quiet else 1 :]:
        place = word if "/" in word and machine.files.kind(word) else image and executables.find_path(image, word)
        kinds = {"keyword": KEYWORDS, "function": machine.task.functions, "builtin": BUILTINS}
        what = next((f" is a shell {kind}" for kind, names in kinds.items() if word in names), "")
        if not what and not place:
            machine.task.code = 127
        if quiet:
            machine.write("1", f"{word}\n" if what else f"{place}\n" if place else "")
        else:
            machine.write("1", f"{word}{what or (f' is {place}' if place else ': not found')}\n")
    return None


def umask(machine: Machine, argv: list[str]) -> Stop | None:
    """`umask`: what it always is."""
    machine.write("1", "" if argv[1:] else "0022\n")
    return None


COMMANDS = {
    "trap": trap,
    "cd": cd,
    **dict.fromkeys(("export", "local", "readonly"), declare),
    "getopts": getopts,
    "type": find_type,
    "umask": umask,
    "unset": unset,
    "set": set_,
    "shift": shift,
    "read": read,
}
