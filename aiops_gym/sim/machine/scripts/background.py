"""`wait`, `jobs`, `fg` and `bg`. Reference: Bash manual, 7.1 and 7.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.scripts.task import Stop

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine

UNKNOWN = 127


def find_process(machine: Machine, word: str) -> int:
    """The process number that a word of `kill` or `wait` means: a number, or a job as `%1`; 0 for none."""
    if not word.startswith("%"):
        return int(word) if is_natural(word) else 0
    jobs, name = machine.host.top.jobs(machine.elapsed()), word[1:]
    if name in ("", "%", "+"):
        jobs = jobs[-1:]
    elif name == "-":
        jobs = jobs[-2:-1]
    elif name.startswith("?"):
        jobs = [each for each in jobs if name[1:] in each.text]
    else:
        jobs = [each for each in jobs if str(each.number) == name or each.text.startswith(name)]
    return int(jobs[0].pid) if jobs else 0


def wait(machine: Machine, argv: list[str]) -> Stop | None:
    """Until processes in the background have ended: those that are named, all, or with `-n` any."""
    words, host, children = argv[1:], machine.host, machine.host.children()
    some = "-n" in words
    words = [word for word in words if word not in ("-n", "-f", "--")]
    wanted = [find_process(machine, word) for word in words]
    for word, pid in zip(words, wanted, strict=True):
        if word.startswith("%") and not pid:
            machine.blame(f"wait: {word}: no such job")
            machine.task.code = UNKNOWN
        elif not is_natural(word) and not pid:
            machine.blame(f"wait: `{word}': not a pid or valid job spec")
            machine.task.code = 1
    if some and not wanted:
        return _wait_for_any(machine)
    for pid in wanted or [0]:
        machine.waited += host.top.remaining(pid, machine.elapsed())
        if pid and pid not in children:
            machine.task.code = host.top.ended(pid)
    left = [pid for pid in wanted if pid in children]
    if not left and (wanted or words or not children):
        return None
    machine.task.waits = left[-1] if left else 0
    return Stop("wait")


def _wait_for_any(machine: Machine) -> Stop | None:
    before = {each.pid for each in machine.host.top.jobs(machine.elapsed()) if each.state == "Running"}
    machine.waited += machine.host.top.remaining(-1, machine.elapsed())
    after = {each.pid for each in machine.host.top.jobs(machine.elapsed()) if each.state == "Running"}
    ended = sorted(before - after)
    machine.task.code = machine.host.top.ended(ended[0]) if ended else UNKNOWN
    return None


def jobs(machine: Machine, argv: list[str]) -> Stop | None:
    """What is in the background."""
    letters = "".join(word[1:] for word in argv[1:] if word.startswith("-"))
    known = machine.host.top.jobs(machine.elapsed())
    for place, each in enumerate(known):
        if "r" in letters and each.state != "Running":
            continue
        if "p" in letters:
            machine.write("1", f"{each.pid}\n")
            continue
        mark = {1: "+", 2: "-"}.get(len(known) - place, " ")
        pid = f"{each.pid} " if "l" in letters else ""
        going = " &" if each.state == "Running" else ""
        machine.write("1", f"[{each.number}]{mark}  {pid}{each.state:<24}{each.text}{going}\n")
    return None


def move(machine: Machine, argv: list[str]) -> Stop | None:
    """`fg` and `bg`, which there are at a terminal alone."""
    machine.blame(f"{argv[0]}: no job control")
    machine.task.code = 1
    return None


COMMANDS = {"wait": wait, "jobs": jobs, "fg": move, "bg": move}
