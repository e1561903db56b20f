"""`ps`, `top`, `uptime`, `free`, `nproc`: the machine of the shell; what the cluster runs is on its nodes."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.shell.commands.date import render
from aiops_gym.shell.host import BOOTED_AGO, INSTALLED
from aiops_gym.types import Output

NAMES = ("free", "nproc", "ps", "top", "uptime")
PROCESSES = ((1, 0, "/sbin/init"), (211, 1, "/usr/bin/containerd"), (614, 1, "sh -c bash"), (620, 614, "bash"))
CORES = 8
TOTAL, USED, FREE, SHARED, CACHE = 32_786_088, 11_831_236, 6_205_752, 41_280, 14_749_100
DIVISORS = {"-b": 1 / 1024, "-k": 1, "-m": 1024, "-g": 1024 * 1024}


def _ps(context: Context, argv: list[str]) -> Output:
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


def _top(context: Context, argv: list[str]) -> Output:
    """`top -b [-n COUNT]`: one screen."""
    if not any(word.startswith("-") and "b" in word for word in argv[1:]):
        return Output("", "top: failed tty get\n", 1)
    lines = [
        f"top - {render(context.cluster.now(), '%T')} up 3 days,  0 users,  load average: 0.92, 0.87, 0.83",
        f"Tasks: {len(PROCESSES):3d} total,   1 running, {len(PROCESSES) - 1:3d} sleeping,   0 stopped,   0 zombie",
        "%Cpu(s):  9.1 us,  3.4 sy,  0.0 ni, 86.9 id,  0.3 wa,  0.0 hi,  0.3 si,  0.0 st",
        "MiB Mem :  32017.7 total,   6060.3 free,  11554.0 used,  14403.4 buff/cache",
        "MiB Swap:      0.0 total,      0.0 free,      0.0 used.  20382.2 avail Mem",
        "",
        "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND",
    ]
    lines += [
        f"{pid:7d} root      20   0    4332   3064   2728 S   0.0   0.0   0:00.01 {cmd.split()[0].rpartition('/')[2]}"
        for pid, _, cmd in PROCESSES
    ]
    return Output("\n".join(lines) + "\n")


def _uptime(context: Context, argv: list[str]) -> Output:
    """`uptime [-p|-s]`."""
    now = context.cluster.now()
    seconds = int(now - INSTALLED) % 86400 + BOOTED_AGO
    days, hours, minutes = seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60
    if argv[1:2] in (["-p"], ["--pretty"]):
        parts = [(days, "day"), (hours, "hour"), (minutes, "minute")]
        return Output("up " + ", ".join(f"{n} {word}{'s' if n != 1 else ''}" for n, word in parts if n) + "\n")
    if argv[1:2] in (["-s"], ["--since"]):
        return Output(render(now - seconds, "%F %T") + "\n")
    plural = "s" if days != 1 else ""
    clock = f"{hours:2d}:{minutes:02d}" if hours else f"{minutes} min"
    return Output(f" {render(now, '%T')} up {days} day{plural}, {clock},  0 users,  load average: 0.92, 0.87, 0.83\n")


def _free(context: Context, argv: list[str]) -> Output:
    """`free [-b|-k|-m|-g|-h]`."""
    human = any(word in ("-h", "--human") for word in argv[1:])
    divisor = next((DIVISORS[word] for word in argv[1:] if word in DIVISORS), 1)

    def size(kib: int) -> str:
        if not human:
            return str(int(kib / divisor))
        return f"{kib / 1048576:.1f}Gi" if kib >= 1048576 else f"{kib // 1024}Mi" if kib else "0B"

    head = f"{'':7}{'total':>13}{'used':>12}{'free':>12}{'shared':>12}{'buff/cache':>12}{'available':>12}\n"
    memory = [TOTAL, USED, FREE, SHARED, CACHE, FREE + CACHE - SHARED]
    rows = [f"{'Mem:':7}" + "".join(f"{size(n):>{13 if i == 0 else 12}}" for i, n in enumerate(memory))]
    rows.append(f"{'Swap:':7}" + "".join(f"{size(0):>{13 if i == 0 else 12}}" for i in range(3)))
    return Output(head + "\n".join(rows) + "\n")


def run(context: Context, argv: list[str]) -> Output:
    """What there is, and what it is busy with."""
    if argv[0] == "nproc":
        ignored = next((word.partition("=")[2] for word in argv[1:] if word.startswith("--ignore=")), "0")
        return Output(f"{max(1, CORES - int(ignored)) if ignored.isdecimal() else CORES}\n")
    return {"ps": _ps, "top": _top, "uptime": _uptime, "free": _free}[argv[0]](context, argv)
