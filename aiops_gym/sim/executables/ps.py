"""`ps`: the container's own processes."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.sim.container import Container
from aiops_gym.sim.times import iso
from aiops_gym.types import Output


def ps(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """The program as process 1, and `ps` itself."""
    words = "".join(argv[1:])
    own = " ".join(c.state.get("argv") or c.argv)
    started = iso(c.process["started"])[11:16]
    rows = [(1, started, own), (40 + c.now // 1_000 % 900, iso(c.now)[11:16], " ".join(argv))]
    if "f" in words and "e" in words:
        lines = ["UID          PID    PPID  C STIME TTY          TIME CMD"]
        lines += [f"root     {pid:>7}       0  0 {at} ?        00:00:00 {text}" for pid, at, text in rows]
    elif "a" in words and "u" in words:
        lines = ["USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND"]
        lines += [
            f"root     {pid:>7}  0.3  0.4 714016 31244 ?        Ssl  {at}   0:00 {text}" for pid, at, text in rows
        ]
    else:
        lines = ["    PID TTY          TIME CMD"]
        lines += [f"{pid:>7} ?        00:00:00 {text.split()[0].rpartition('/')[2]}" for pid, _, text in rows]
    return Output("\n".join(lines) + "\n")


TOOLS = {"ps": ps}
