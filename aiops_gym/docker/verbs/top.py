"""`docker top`"""

from __future__ import annotations

from typing import Final

from aiops_gym.docker.call import Call, Failure, clean
from aiops_gym.docker.formats import align
from aiops_gym.docker.verbs.stats import MEMORY
from aiops_gym.sim.kernel.times import iso
from aiops_gym.types import Json

WIDE = 20
"""Width of a column at least."""

FULL: Final = ("UID", "PID", "PPID", "C", "STIME", "TTY", "TIME", "CMD")
USERS: Final = ("USER", "PID", "%CPU", "%MEM", "VSZ", "RSS", "TTY", "STAT", "START", "TIME", "COMMAND")


def _describe(row: Json, pid: int) -> dict[str, str]:
    """What can be shown of a process, by column; `pid` is the host's number of the first one."""
    used, start = int(row.used), iso(row.started)[11:16]
    parent, share = pid + row.parent - 1 if row.parent else pid - 23, 102_400 * row.resident / MEMORY
    found = {"UID": "root", "USER": "root", "PID": str(pid + row.pid - 1), "PPID": str(parent), "C": "0", "TTY": "?"}
    found |= {"STIME": start, "START": start, "TIME": f"{used // 3600:02d}:{used // 60 % 60:02d}:{used % 60:02d}"}
    found |= {"CMD": row.text, "COMMAND": row.text, "STAT": "Ssl", "%MEM": f"{share:.1f}"}
    return {**found, "%CPU": f"{100 * row.cores:.1f}", "VSZ": str(9 * row.resident + 3_000), "RSS": str(row.resident)}


def read_processes(call: Call, name: str, words: list[str]) -> list[list[str]]:
    """The processes of a container as `ps` with these options shows them, a line of headers first. Raises Failure."""
    options = "".join(words).lstrip("-")
    if "o" in options:
        raise Failure("Error response from daemon: ps: exit status 1: error: columns cannot be chosen on this host")
    columns = FULL if not words or "f" in options else USERS
    pid = int(call.inspect(name)["State"]["Pid"])
    found = [_describe(row, pid) for row in call.ask("GET", f"/containers/{clean(name)}/top")]
    return [[*columns], *([row[each] for each in columns] for row in found)]


def run(call: Call) -> None:
    """Print the processes of a container, as the host numbers them."""
    call.write(align(read_processes(call, call.args[0], call.args[1:]), WIDE))
