"""Commands that fill memory and disks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.quantity import whole
from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.task import Stop

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container
    from aiops_gym.sim.machine.scripts.machine import Machine

MIB = 1 << 20
PER_MS = 200_000
"""Bytes that a greedy process takes in a millisecond."""

DISK_PER_MS = 500_000
UNITS = {"": 1, "b": 512, "c": 1, "k": 1 << 10, "m": MIB, "g": 1 << 30, "kb": 1000, "mb": 1_000_000, "gb": 10**9}
SIZE = re.compile(r"(\d+)([a-z]*)")


def limit_of(c: Container) -> int:
    """Bytes of memory that a container may use: its limit, or what its node has; a limit of nothing is none."""
    limit = get(c.spec(), "resources", "limits", "memory", default="0")
    if not whole(str(limit)):
        node = c.world.store.get("nodes", "", str(c.process["node"]))
        limit = get(node or {}, "status", "allocatable", "memory", default="8Gi")
    return whole(str(limit))


def parse_amount(text: str) -> int:
    """Bytes of `10`, `10M`, `10MiB`, `1GB`.

    >>> parse_amount("2k"), parse_amount("1MB"), parse_amount("3MiB")
    (2048, 1000000, 3145728)
    """
    match = SIZE.fullmatch(text.strip().lower().replace("ib", ""))
    return int(match[1]) * UNITS.get(match[2], 1) if match else 0


def grow(machine: Machine, size: int) -> Stop | None:
    """Take memory: all of it (-1) or so many bytes, and be killed where the container may not have that much."""
    limit = limit_of(machine.c)
    if size < 0 or size > limit:
        return Stop("oom", ms=50 + limit // PER_MS)
    machine.waited += size // PER_MS
    return None


def pour(machine: Machine, size: int) -> None:
    """Write so many bytes where the output leads."""
    target = machine.task.fds["1"]
    if target[0] == "file":
        machine.files.fill(target[1], size)
        machine.waited += size // DISK_PER_MS
    elif hasattr(machine.host, "zero"):
        machine.host.zero = ["zero", size]


def dd(machine: Machine, argv: list[str]) -> Stop | None:
    """`dd if= of= bs= count=`: fills files, and takes a block of memory meanwhile."""
    options = dict(word.split("=", 1) for word in argv[1:] if "=" in word)
    block, count = parse_amount(options.get("bs", "512")), options.get("count", "")
    if block > limit_of(machine.c):
        return Stop("oom", ms=50 + block // PER_MS)
    target = options.get("of", "/dev/null")
    if not is_natural(count):
        if target == "/dev/null":
            return Stop("forever")
        count = "1000000"
    size = block * int(count)
    path = make_absolute(target, machine.task.cwd)
    room = _room(machine.c, path)
    if 0 <= room < size:
        machine.files.fill(path, room)
        machine.waited += room // DISK_PER_MS
        machine.write("2", f"dd: error writing '{target}': No space left on device\n")
        machine.task.code = 1
        return None
    if target != "/dev/null" and not machine.files.fill(path, size):
        machine.write("2", f"dd: failed to open '{target}': No such file or directory\n")
        machine.task.code = 1
        return None
    machine.waited += size // DISK_PER_MS
    machine.write("2", f"{count}+0 records in\n{count}+0 records out\n{size} bytes copied\n")
    return None


def _room(c: Container, path: str) -> int:
    """Bytes that a file in a volume of memory may have, -1 if it lies elsewhere."""
    mounts = c.spec().get("volumeMounts") or ()
    name = next((m["name"] for m in mounts if path.startswith(f"{m['mountPath'].rstrip('/')}/")), "")
    volumes = get(c.pod or {}, "spec", "volumes", default=())
    source = next((v.get("emptyDir") or {} for v in volumes if v["name"] == name), {})
    if source.get("medium") != "Memory":
        return -1
    limit = source.get("sizeLimit")
    return limit_of(c) if limit is None else min(whole(str(limit)), limit_of(c))


def _taken(name: str, size: int) -> int:
    return size if name == "fallocate" or size < MIB else 0


def allocate(machine: Machine, argv: list[str]) -> int:
    """`fallocate -l SIZE FILE` and `truncate -s SIZE FILE`; a large truncated file is a hole, which is not kept."""
    words = argv[1:]
    size = next((words[i + 1] for i, w in enumerate(words[:-1]) if w in ("-l", "-s")), "0")
    names = [w for i, w in enumerate(words) if not w.startswith("-") and (i == 0 or words[i - 1] not in ("-l", "-s"))]
    done = [machine.files.fill(make_absolute(n, machine.task.cwd), _taken(argv[0], parse_amount(size))) for n in names]
    return 0 if all(done) else 1
