"""`trap` and `kill`, and the names of signals. Reference: Bash manual, 3.7.6 and 4.1; signal(7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.scripts.background import find_process
from aiops_gym.sim.machine.scripts.parser import parse
from aiops_gym.sim.machine.scripts.task import Stop

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine
    from aiops_gym.types import Json

_NAMES = """
    EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU
    URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS
"""
NAMES = _NAMES.split()
SIGNALS = {str(number): name for number, name in enumerate(NAMES)}
OWN_TRAPS = ("ERR", "DEBUG", "RETURN")
ENDING = ("HUP", "INT", "QUIT", "ILL", "ABRT", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM")
"""Signals that end a process which does not trap them."""


def trap(machine: Machine, argv: list[str]) -> Stop | None:
    """What is to be done at signals; in a shell of its own that for its end and those it sends itself count."""
    words = [w for w in argv[1:] if w != "--"]
    if words[:1] == ["-l"]:
        machine.write("1", _table())
        return None
    if words[:1] == ["-p"] or not words:
        _show_traps(machine, words)
        return None
    if words[0].startswith("-") and words[0] != "-":
        return None
    script = None if words[0] == "-" or len(words) == 1 else words[0]
    for word in words[1:] or words:
        _trap(machine, find_signal(word), script)
    return None


def _show_traps(machine: Machine, words: list[str]) -> None:
    shell = _own_shell(machine)
    known = dict(machine.task.traps)
    leaving = shell[2] if shell is not None else machine.host.trapped("EXIT")
    if leaving is not None:
        known["EXIT"] = leaving
    wanted = [find_signal(word) for word in words[1:]] or sorted(known, key=lambda name: (name in OWN_TRAPS, name))
    for name in wanted:
        if name in known:
            shown = name if name in ("EXIT", *OWN_TRAPS) or machine.dialect != "bash" else f"SIG{name}"
            quoted = known[name].replace("'", "'\\''")
            machine.write("1", f"trap -- '{quoted}' {shown}\n")


def _own_shell(machine: Machine) -> Json:
    return next((frame for frame in reversed(machine.task.stack) if frame[0] == "shell"), None)


def _trap(machine: Machine, signal: str, script: str | None) -> None:
    shell = _own_shell(machine)
    if signal not in (*NAMES, *OWN_TRAPS):
        machine.blame(f"trap: {signal}: invalid signal specification")
        machine.task.code = 1
    elif signal == "EXIT" and shell is not None:
        shell[2] = script or None
    elif signal == "EXIT" or (shell is None and not machine.beside and signal not in OWN_TRAPS):
        machine.host.trap(signal, script)
    elif script is None:
        machine.task.traps.pop(signal, None)
    else:
        machine.task.traps[signal] = script


def find_signal(word: str) -> str:
    """The name of a signal, which may be given as a number."""
    plain = word.upper().removeprefix("-").removeprefix("SIG")
    return SIGNALS.get(plain, plain)


def _table() -> str:
    """All signals, five to a line, as bash shows them."""
    names = {number: f"SIG{name}" for number, name in enumerate(NAMES) if number}
    names |= {34 + n: f"SIGRTMIN+{n}" if n else "SIGRTMIN" for n in range(16)}
    names |= {64 - n: f"SIGRTMAX-{n}" if n else "SIGRTMAX" for n in range(15)}
    entries = [f"{number:2d}) {names[number]}" for number in sorted(names)]
    return "".join("\t".join(entries[at : at + 5]) + "\n" for at in range(0, len(entries), 5))


def _tell_names(machine: Machine, words: list[str]) -> None:
    """`kill -l [name or number ...]`: one as the other; numbers of exit codes count, too."""
    if not words:
        plain = "".join(f"{each}\n" for each in ("0", *NAMES[1:]))
        machine.write("1", _table() if machine.dialect == "bash" else plain)
    for word in words:
        number = int(word) % 128 if is_natural(word) else -1
        name = find_signal(word)
        if 0 <= number < len(NAMES):
            machine.write("1", f"{NAMES[number]}\n")
        elif number < 0 and name in NAMES:
            machine.write("1", f"{NAMES.index(name)}\n")
        else:
            machine.blame(f"kill: {word}: invalid signal specification")
            machine.task.code = 1


def kill(machine: Machine, argv: list[str]) -> Stop | None:
    """Send a signal to processes and jobs."""
    words, signal = argv[1:], "TERM"
    if words and words[0] == "-l":
        _tell_names(machine, words[1:])
        return None
    if words and words[0] == "-s" and len(words) > 1:
        signal, words = find_signal(words[1]), words[2:]
    elif words and words[0].startswith("-") and len(words[0]) > 1:
        signal, words = find_signal(words[0]), words[1:]
    for word in words:
        pid = find_process(machine, word)
        own = pid == machine.task.pid
        trapped = machine.task.traps.get(signal) if own else None
        if trapped is not None:
            machine.task.push("resume", 0)
            machine.task.push("list", parse(trapped, machine.dialect), 0)
            continue
        if own and machine.beside and signal in ENDING:
            return machine.leave(128 + NAMES.index(signal))
        known = pid > 0 and machine.host.top.kill(pid, signal, machine.elapsed())
        if not known and machine.dialect == "bash":
            no = f"({pid}) - No such process" if pid else f"{word}: arguments must be process or job IDs"
            machine.blame(f"kill: {f'{word}: no such job' if word.startswith('%') else no}")
        elif not known:
            machine.write("2", f"{machine.name}: 1: kill: No such process\n\n")
        machine.task.code = machine.task.code if known else 1
    return None


COMMANDS = {"trap": trap, "kill": kill}
