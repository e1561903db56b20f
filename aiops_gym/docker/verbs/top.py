"""`docker top`"""

from __future__ import annotations

from aiops_gym.docker.call import Call, clean
from aiops_gym.docker.formats import align
from aiops_gym.sim.kernel.times import iso

WIDE = 20
"""Width of a column at least."""


def run(call: Call) -> None:
    """Print the processes of a container, as the host numbers them."""
    name = call.args[0]
    pid = int(call.inspect(name)["State"]["Pid"])
    lines = [["UID", "PID", "PPID", "C", "STIME", "TTY", "TIME", "CMD"]]
    for row in call.ask("GET", f"/containers/{clean(name)}/top"):
        used = int(row.used)
        clock = f"{used // 3600:02d}:{used // 60 % 60:02d}:{used % 60:02d}"
        number, parent = pid + row.pid - 1, pid - 23 if not row.parent else pid + row.parent - 1
        lines.append(["49999", str(number), str(parent), "0", iso(row.started)[11:16], "?", clock, row.text])
    call.write(align(lines, WIDE))
