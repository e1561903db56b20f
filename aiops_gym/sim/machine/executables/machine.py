"""What a container sees of its machine and of itself: `ps`, `top`, `df`, `free`, `uptime`, `nproc`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.quantity import parse
from aiops_gym.sim.kernel.times import iso, millis
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import program_of
from aiops_gym.types import Output

DISK = 101_430_960
"""KiB of a node's disk."""

UNITS = {"-b": 1 / 1024, "-k": 1, "-m": 1024, "-g": 1 << 20}


class Machine(NamedTuple):
    """The node below a container: cores, KiB of memory in all and in use, seconds since it started, load."""

    cores: int
    total: int
    used: int
    up: int
    load: float


class Row(NamedTuple):
    """A process as `ps` shows it: KiB of memory resident, seconds of CPU time used, cores in use, its parent."""

    pid: int
    started: int
    text: str
    resident: int
    used: float
    cores: float
    parent: int = 0


def machine(c: Container) -> Machine:
    """The node of a container."""
    node = c.world.store.get("nodes", "", str(c.process["node"]))
    cores = int(parse(str(get(node or {}, "status", "capacity", "cpu", default="8"))))
    total = int(parse(str(get(node or {}, "status", "capacity", "memory", default="16Gi")))) // 1024
    kubelet = c.world.dynamics.kubelet
    busy, used = kubelet.node(c.world, node) if node is not None and kubelet else (300_000_000, total * 300)
    born = get(node or {}, "metadata", "creationTimestamp")
    up = (c.now - (millis(born) if born else c.world.blueprint.start)) // 1000 + 7_300
    return Machine(cores, total, int(used) // 1024, int(up), busy / 1e9)


def rows(c: Container, argv: Sequence[str]) -> list[Row]:
    """The program as process 1, and the command that asks."""
    row = c.process
    kubelet, since = c.world.dynamics.kubelet, max(row["started"], c.now - 15_000)
    rps, busy = kubelet.demand(c.world, c.key, since, c.now) if kubelet else (0.0, 0.0)
    found = program_of(c.world, row).usage(row, rps, busy)
    seconds = found["cpu"] * (c.now - row["started"]) / 1000.0
    shell, text = c.world.table("shells").get(c.key), " ".join(c.state.get("argv") or c.argv)
    pid = 1 if shell is None else shell["task"] if shell["task"] > 1 else int(shell["state"]["next"])
    main = Row(pid, row["started"], text, int(found["memory"]) // 1024, seconds, found["cpu"], int(pid > 1))
    parents = [Row(1, row["started"], " ".join(c.first_argv), 1_600, 0.0, 0.0)] if shell is not None else []
    return [*parents, main, Row(40 + c.now // 1_000 % 900, c.now, " ".join(argv), 3_420, 0.0, 0.0)]


def ps(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`ps [-ef|aux]`; the one of BusyBox shows all in its own columns."""
    words, found, image = "".join(argv[1:]), rows(c, argv), c.image()
    if image is not None and image.sh == "busybox":
        lines = ["PID   USER     TIME  COMMAND"]
        lines += [f"{r.pid:5d} root     {int(r.used) // 60:2d}:{int(r.used) % 60:02d} {r.text}" for r in found]
    elif "f" in words and "e" in words:
        lines = ["UID          PID    PPID  C STIME TTY          TIME CMD"]
        lines += [
            f"root     {r.pid:>7} {r.parent:>7}  0 {_clock(r.started)} ?        {_time(r.used)} {r.text}" for r in found
        ]
    elif "a" in words and "u" in words:
        lines, total = ["USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND"], machine(c).total
        lines += [_aux(r, total) for r in found]
    else:
        lines = ["    PID TTY          TIME CMD"]
        lines += [f"{r.pid:>7} ?        {_time(r.used)} {_command(r)}" for r in found]
    return Output("\n".join(lines) + "\n")


def _aux(r: Row, total: int) -> str:
    share, state = 100.0 * r.resident / total, "Ssl" if r.pid == 1 else "R"
    sizes = f"{r.resident * 9 + 3_000:>6} {r.resident:>5}"
    time = f"{int(r.used) // 60}:{int(r.used) % 60:02d}"
    return (
        f"root     {r.pid:>7} {100 * r.cores:4.1f} {share:4.1f} {sizes} ?        {state:<4} {_clock(r.started)} "
        f"{time:>6} {r.text}"
    )


def _command(r: Row) -> str:
    return r.text.split()[0].rpartition("/")[2] if r.text else ""


def _clock(ms: int) -> str:
    return iso(ms)[11:16]


def _time(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def top(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`top -b [-n COUNT]`: one screen; without `-b` it wants a terminal."""
    if not any(a.startswith("-") and "b" in a for a in argv[1:]):
        return Output("", "top: failed tty get\n", 1)
    m, found = machine(c), rows(c, argv)
    used = 100.0 * m.load / m.cores
    mib = [n / 1024.0 for n in (m.total, m.total * 0.19, m.used, m.total * 0.81 - m.used, m.total - m.used)]
    lines = [
        f"top - {iso(c.now)[11:19]} {_up(m.up)},  0 user,  load average: {_load(m)}",
        f"Tasks: {len(found):3d} total,   1 running, {len(found) - 1:3d} sleeping,   0 stopped,   0 zombie",
        f"%Cpu(s): {used * 0.7:4.1f} us, {used * 0.3:4.1f} sy,  0.0 ni, {100 - used:4.1f} id,  0.0 wa,  0.0 hi,  "
        "0.0 si,  0.0 st",
        f"MiB Mem :{mib[0]:9.1f} total,{mib[1]:9.1f} free,{mib[2]:9.1f} used,{mib[3]:9.1f} buff/cache",
        f"MiB Swap:{0:9.1f} total,{0:9.1f} free,{0:9.1f} used.{mib[4]:9.1f} avail Mem",
        "",
        "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND",
    ]
    for r in found:
        time = f"{int(r.used) // 60}:{r.used % 60:05.2f}"
        lines.append(
            f"{r.pid:7d} root      20   0 {r.resident * 9 + 3_000:7d} {r.resident:6d} {r.resident // 3:6d} "
            f"{'S' if r.pid == 1 else 'R'} {100 * r.cores:5.1f} {100.0 * r.resident / m.total:5.1f} {time:>9} "
            f"{_command(r)}"
        )
    return Output("\n".join(lines) + "\n")


def _up(seconds: int) -> str:
    days, hours, minutes = seconds // 86_400, seconds // 3600 % 24, seconds // 60 % 60
    short = f"{hours:2d}:{minutes:02d}" if hours else f"{minutes} min"
    return f"up {days} day{'s' if days > 1 else ''}, {short}" if days else f"up {short}"


def _load(m: Machine) -> str:
    return ", ".join(f"{m.load * share:.2f}" for share in (1.12, 1.05, 0.98))


def uptime(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """Of the node, as in any container."""
    m = machine(c)
    return Output(f" {iso(c.now)[11:19]} {_up(m.up)},  0 user,  load average: {_load(m)}\n")


def nproc(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """Cores of the node."""
    return Output(f"{machine(c).cores}\n")


def free(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`free [-b|-k|-m|-g|-h]`: the node's memory, which is what a container sees."""
    m, human = machine(c), "-h" in argv
    unit = next((UNITS[a] for a in argv[1:] if a in UNITS), 1)

    def size(kib: float) -> str:
        return _human(int(kib), "i") if human else str(int(kib / unit))

    cache = m.total * 0.81 - m.used
    memory = [m.total, m.used, m.total * 0.19, m.total * 0.0014, cache, m.total - m.used]
    head = "               total        used        free      shared  buff/cache   available\n"
    line = "Mem:    " + "".join(f"{size(n):>12}" for n in memory)
    return Output(f"{head}{line}\nSwap:   " + "".join(f"{size(0):>12}" for _ in range(3)) + "\n")


def df(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`df [-h] [PATH...]`: the layer of the container, its mounts, and what the runtime puts there."""
    human = any(a.startswith("-") and "h" in a for a in argv[1:])
    paths = [a for a in argv[1:] if not a.startswith("-")]
    used = int(DISK * 0.37) + c.now // 90_000 % 90_000
    memory = machine(c).total
    mounts = [m["mountPath"].rstrip("/") for m in c.spec().get("volumeMounts") or ()]
    token = "/var/run/secrets/kubernetes.io/serviceaccount"
    disks = [("overlay", DISK, used, "/"), ("tmpfs", 65_536, 0, "/dev"), ("shm", 65_536, 0, "/dev/shm")]
    disks += [("/dev/sda1", DISK, used, at) for at in sorted({*mounts, "/etc/hosts"} - {token})]
    disks += [("tmpfs", memory, 12, f"/run{token[8:]}")] if token in mounts else []
    disks += [("tmpfs", memory // 2, 0, "/proc/acpi"), ("tmpfs", memory // 2, 0, "/sys/firmware")]
    if paths:
        disks = [max((d for d in disks if f"{path}/".startswith(d[3].rstrip("/") + "/")), key=_depth) for path in paths]
    return Output(_table(disks, _human if human else str))


def _depth(disk: tuple[str, int, int, str]) -> int:
    return len(disk[3])


def _table(disks: Sequence[tuple[str, int, int, str]], show: Callable[[int], str]) -> str:
    human = show is not str
    head = (
        "Filesystem",
        "Size" if human else "1K-blocks",
        "Used",
        "Avail" if human else "Available",
        "Use%",
        "Mounted on",
    )
    cells = [head]
    for name, total, used, at in disks:
        share = f"{-(-100 * used // total)}%"
        cells.append((name, show(total), show(used), show(total - used), share, at))
    widths = [max(len(row[i]) for row in cells) for i in range(5)]
    lines = []
    for row in cells:
        middle = " ".join(row[i].rjust(widths[i]) for i in range(1, 5))
        lines.append(f"{row[0].ljust(widths[0])} {middle} {row[5]}\n")
    return "".join(lines)


def _human(kib: int, suffix: str = "") -> str:
    for unit, size in (("G", 1 << 20), ("M", 1 << 10)):
        if kib >= size:
            value = kib / size
            return f"{value:.1f}{unit}{suffix}" if value < 10 else f"{round(value)}{unit}{suffix}"
    return f"{kib}K{suffix}" if kib else "0B" if suffix else "0"


TOOLS = {"df": df, "free": free, "nproc": nproc, "ps": ps, "top": top, "uptime": uptime}
