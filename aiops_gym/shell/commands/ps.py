"""`ps`: the processes of the shell; those of the cluster run on its nodes."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.shell.commands.date import render
from aiops_gym.types import Output

PROCESSES = ((1, 0, "/sbin/init"), (211, 1, "/usr/bin/containerd"), (614, 1, "sh -c bash"), (620, 614, "bash"))


def run(context: Context, argv: list[str]) -> Output:
    """`ps [-e|-ef|aux]`."""
    flags = "".join(word.lstrip("-") for word in argv[1:] if not word.startswith("--"))
    rows = [*PROCESSES, (631, 620, " ".join(argv))]
    start = render(context.cluster.now(), "%H:%M")
    if "u" in flags and "f" not in flags:
        lines = ["USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND"]
        lines += [f"root {pid:11d}  0.0  0.0   4332  3064 ?        S    {start}   0:00 {cmd}" for pid, _, cmd in rows]
    elif "f" in flags:
        lines = ["UID          PID    PPID  C STIME TTY          TIME CMD"]
        lines += [f"root {pid:11d} {parent:7d}  0 {start} ?        00:00:00 {cmd}" for pid, parent, cmd in rows]
    else:
        shown = rows if any(letter in flags for letter in "eAax") else rows[-2:]
        lines = ["    PID TTY          TIME CMD"]
        lines += [f"{pid:7d} ?        00:00:00 {cmd.split()[0].rpartition('/')[2]}" for pid, _, cmd in shown]
    return Output("\n".join(lines) + "\n")
