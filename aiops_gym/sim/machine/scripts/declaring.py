"""`declare`, `typeset`, `local`, `export`, `readonly` and `unset`. Reference: Bash manual, 4.2; POSIX, 2.14."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from aiops_gym.sim.machine.scripts.parameters import ansi_quote, describe
from aiops_gym.sim.machine.scripts.parser import NAME
from aiops_gym.sim.machine.scripts.printing import show_function
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.task import Stop
from aiops_gym.sim.machine.scripts.variables import ELEMENT
from aiops_gym.sim.machine.scripts.words import Assigned

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine
    from aiops_gym.types import Json

KINDS = "aAilun"


def declare(machine: Machine, argv: list[str]) -> Stop | None:
    """Give variables attributes and values, or show them."""
    on, off, words = _split(argv[1:])
    on += {"export": "x", "readonly": "r"}.get(argv[0], "")
    call = next(iter(machine.callers()), None)
    if argv[0] == "local" and call is None:
        if machine.dialect == "dash":
            raise ScriptError("local: not in a function")
        machine.blame("local: can only be used in a function")
        machine.task.code = 1
        return None
    if argv[0] == "export" and "f" in on and words:
        machine.task.exports = {**machine.task.exports, **{f"{name}()": "n" not in on for name in words}}
        return None
    if "f" in on or "F" in on:
        _show_functions(machine, words, on)
        return None
    if "p" in on or not words:
        _show(machine, argv[0], on, words)
        return None
    local = argv[0] == "local" or (argv[0] in ("declare", "typeset") and call is not None and "g" not in on)
    if call is not None and argv[0] == "local" and "-" in words:
        call[2].setdefault("-", [machine.task.options, machine.task.modes])
        words = [word for word in words if word != "-"]
    done = [_declare(machine, argv[0], word, (on, off), call if local else None) for word in words]
    machine.task.code = int(not all(done))  # and not that of a command in a value
    return None


def _split(words: list[str]) -> tuple[str, str, list[str]]:
    """Letters to be set, letters to be taken away, and the words after them."""
    on = off = ""
    left = list(words)
    while left and left[0][:1] in ("-", "+") and len(left[0]) > 1 and not isinstance(left[0], Assigned):
        word = left.pop(0)
        if word == "--":
            break
        if word[0] == "-":
            on += word[1:]
        else:
            off += word[1:]
    return on, off, left


def _declare(machine: Machine, verb: str, word: str, flags: tuple[str, str], call: Json) -> bool:
    """One variable; False, with what was said of it, where that fails."""
    on, off = flags
    assignment = word.assignment if isinstance(word, Assigned) else None
    name, equals, value = (word, "", "") if assignment else word.partition("=")
    added = name.endswith("+") and bool(equals)
    name = name.removesuffix("+") if added else name
    plain = match[1] if (match := ELEMENT.fullmatch(name)) else name
    if not NAME.fullmatch(plain):
        if machine.dialect == "dash":
            raise ScriptError(f"{verb}: {name}: bad variable name")
        machine.blame(f"{verb}: `{word}': not a valid identifier")
        return False
    task = machine.task
    if call is not None:
        kept = call[2]
        if plain not in kept:
            kept[plain] = machine.remember(plain)
            if machine.dialect != "dash":
                task.vars.pop(plain, None)
                task.kinds.pop(plain, None)
                task.unset = [*task.unset, plain]
    elif "n" not in on:
        plain = machine.follow(plain)
    if plain in task.fixed and (equals or assignment or "r" in off):
        machine.blame(f"{verb}: {plain}: readonly variable")
        return False
    _mark(machine, plain, on, off)
    if assignment is not None:
        machine.assign(assignment)
    elif equals:
        machine.set(name, value, added)
    elif {"a", "A"} & set(on) and plain not in task.vars:
        task.vars[plain] = {}
    else:
        task.kinds.setdefault(plain, "")
    _finish(machine, plain, on, off)
    return True


def _mark(machine: Machine, name: str, on: str, off: str) -> None:
    kinds = machine.task.kinds
    kept = "".join(each for each in kinds.get(name, "") if each not in off)
    kept += "".join(each for each in on if each in KINDS and each not in kept)
    if "l" in on or "u" in on:
        kept = kept.replace("u" if "l" in on else "l", "") if not ("l" in on and "u" in on) else kept
    if kept:
        kinds[name] = kept
    else:
        kinds.pop(name, None)
    value = machine.task.vars.get(name)
    if {"a", "A"} & set(on) and isinstance(value, str):
        machine.task.vars[name] = {"0": value}


def _finish(machine: Machine, name: str, on: str, off: str) -> None:
    task = machine.task
    if "x" in on:
        task.exports = {**task.exports, name: True}
    if "x" in off or ("n" in on and "x" in on):
        task.exports = {**task.exports, name: False}
    if "r" in on and name not in task.fixed:
        task.fixed = [*task.fixed, name]


def _show(machine: Machine, verb: str, on: str, words: list[str]) -> None:
    if machine.dialect == "dash":
        names = sorted(machine.task.fixed if verb == "readonly" else machine.environment()) if verb != "local" else ()
        machine.write("1", "".join(f"{verb} {name}={quote(machine.get(name) or '')}\n" for name in names))
        return
    wanted = words or sorted(machine.names())
    letters = [each for each in on if each in "aAilunrx"]
    for name in dict.fromkeys(wanted):
        known = name in machine.task.vars or name in machine.task.kinds or machine.get(name) is not None
        if words and not known:
            machine.blame(f"{verb}: {name}: not found")
            machine.task.code = 1
        elif known and not name.startswith("\0") and all(each in machine.attributes(name) for each in letters):
            machine.write("1", f"{describe(machine, name)}\n")


def show_all(machine: Machine) -> None:
    """`set` without a word: all variables."""
    for name in sorted(each for each in {*machine.names()} if not each.startswith("\0")):
        value = machine.task.vars.get(name)
        if isinstance(value, dict):
            machine.write("1", f"{describe(machine, name).split(' ', 2)[2]}\n")
        elif (text := machine.get(name)) is not None:
            machine.write("1", f"{name}={_plain(text) if machine.dialect == 'bash' else quote(text)}\n")


def _plain(text: str) -> str:
    if any(ord(char) < 32 or ord(char) == 127 for char in text):
        return ansi_quote(text)
    safe = all(char.isalnum() or char in "_-./:,+%@=" for char in text)
    return text if safe else "'" + text.replace("'", "'\\''") + "'"


def _show_functions(machine: Machine, words: list[str], on: str) -> None:
    known = machine.task.functions
    for name in words or sorted(known):
        if name not in known:
            machine.task.code = 1
        elif "F" in on:
            machine.write("1", f"{name}\n" if words else f"declare -f {name}\n")
        else:
            machine.write("1", show_function(name, known[name]))


def unset(machine: Machine, argv: list[str]) -> Stop | None:
    """Forget variables and functions."""
    letters = "".join(word[1:] for word in argv[1:] if word.startswith("-"))
    for name in [word for word in argv[1:] if not word.startswith("-")]:
        task = machine.task
        if "f" not in letters:
            if "n" in letters:
                task.vars.pop(name, None)
                task.kinds.pop(name, None)
                continue
            known = name in task.vars or machine.get(name) is not None
            if name in task.fixed and machine.dialect == "bash":
                machine.blame(f"unset: {name}: cannot unset: readonly variable")
                task.code = 1
                continue
            machine.unset(name)
            task.unset = [*task.unset, name]
            if known or letters:
                continue
        task.functions = {key: each for key, each in task.functions.items() if key != name}
    return None


COMMANDS = {**dict.fromkeys(("declare", "typeset", "local", "export", "readonly"), declare), "unset": unset}
