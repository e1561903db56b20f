"""What a container wrote: the lines its program stored, those it writes by itself, and those of failed requests.

Only what is asked for is generated, from the newest backwards, in blocks of time. A block's lines depend on nothing
that happens after it, so they never change.
"""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym import caches
from aiops_gym.caches import Cache
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.times import iso_nano
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.telemetry.log_formats import find_format
from aiops_gym.sim.traffic import stream
from aiops_gym.sim.traffic.failure_lines import Failure
from aiops_gym.types import Json

Line = tuple[int, str]
Entry = tuple[int, str | Failure]
"""A line with its ms; what a failed call leaves is written out only when somebody reads it."""

FINE, COARSE = 10_000, 300_000
"""Lengths of blocks in ms: fine ones since the last full five minutes, coarse ones before."""

LATE = 2_000
"""Milliseconds by which a recurring line may come after its time, and so in the block after it."""

_blocks: Cache[list[Entry]] = Cache(
    caches.Entry(
        f"{__name__}.blocks",
        "generating the lines of some time",
        key="id, program and image of the process, what its lines follow, seed, start, end, when its calls may fail",
        bound=16_000_000,
        unit="bytes, roughly",
    ),
    lambda entries: 200 + 200 * len(entries),
)


def read(
    world: World,
    process: str,
    previous: bool = False,
    since_ms: int | None = None,
    tail: int | None = None,
    limit_bytes: int | None = None,
    timestamps: bool = False,
) -> str:
    """The log of a container, as the API server returns it.

    Args:
        world: whose log.
        process: key of table `processes`.
        previous: of the process before the present one (table `past`).
        since_ms: Unix ms; older lines are left out.
        tail: at most so many of the newest lines.
        limit_bytes: at most so many bytes, from the first line on.
        timestamps: put the time before each line.

    Returns:
        Lines, each with its newline; "" for a process that never was.
    """
    record = world.table("previous" if previous else "processes").get(process)
    if record is None:
        return ""
    entries = _entries(world, process, record, since_ms, tail)
    cut = _written(world, record, entries, tail)
    if timestamps:
        stamps = _stamps(entries)[len(entries) - len(cut) :]
        cut = [(ms, f"{stamp} {text}") for stamp, (ms, text) in zip(stamps, cut, strict=True)]
    text = "\n".join([line for _, line in cut])
    text = f"{text}\n" if cut else ""
    return text if limit_bytes is None else text.encode()[:limit_bytes].decode(errors="ignore")


def _written(world: World, record: Process, entries: Sequence[Entry], tail: int | None) -> list[Line]:
    """The newest entries as lines in the program's own format."""
    cut = entries if tail is None else entries[-tail:] if tail > 0 else []
    write = find_format(record) or program_of(world, record).format
    return [(ms, e if isinstance(e, str) else write(e.ms, e.level, e.source, e.message)) for ms, e in cut]


def _entries(
    world: World, process: str, record: Process, since: int | None = None, tail: int | None = None
) -> list[Entry]:
    """The lines of a process since a time, oldest first, each with its ms; at least `tail` of the newest."""
    world.settle()
    begin, end = int(record["started"]), min(world.now, int(record["ended"]) or world.now)
    noisy = stream.find_noisy(world, process)
    stored: Sequence[Sequence[Json]] = record["log"]
    rest, low = len(stored), end
    wanted = len(stored) + (1 << 40) if tail is None else tail
    start = begin if since is None else max(begin, since)
    parts: list[list[Entry]] = []
    count = 0
    while count < wanted and (low > start or rest):
        low, high = _below(low, begin), low
        part = _block(world, process, record, noisy, low, high) if high > low else []
        first = rest
        while first and (stored[first - 1][0] >= low or low <= start):
            first -= 1
        if first < rest:
            part = sorted([*((ms, text) for ms, text in stored[first:rest]), *part], key=_time)
        rest = first
        if part:
            parts.append(part)
            count += len(part)
    found = parts[0] if len(parts) == 1 else [line for part in reversed(parts) for line in part]
    if since is not None and found and found[0][0] < since:
        found = [line for line in found if line[0] >= since]
    return found


def _time(entry: Entry) -> int:
    return entry[0]


def _below(high: int, begin: int) -> int:
    """Where the block that ends at `high` begins; blocks lie at multiples of their length."""
    length = COARSE if high % COARSE == 0 else FINE
    return max(begin, (high - 1) // length * length)


def _block(world: World, process: str, record: Process, noisy: stream.Noisy, low: int, high: int) -> list[Entry]:
    """The lines of [low, high) ms that are generated."""
    cause = tuple(item for item in noisy if item[0] < high and item[1] > low - stream.LONGEST)
    follows = program_of(world, record).follows(record)
    key = (record["id"], record["program"], record["image"], world.seed, low, high, cause, follows)

    def make() -> list[Entry]:
        program = program_of(world, record)
        found: list[Entry] = [
            (ms, text) for ms, text in program.background(record, low - LATE, high, world.seed) if low <= ms < high
        ]
        if cause:
            for failure in stream.list_failures(world, process, low, high):
                if failure.arrived < record["started"]:
                    continue  # its process died with it
                found.append((failure.ms, failure))
        return sorted(found, key=_time)

    return _blocks.get(key, make)


def _stamps(entries: Sequence[Entry]) -> list[str]:
    """The time of each entry to the nanosecond, ascending within each millisecond."""
    stamps, last, number = [], -1, 0
    for ms, _ in entries:
        number = number + 1 if ms == last else 0
        last = ms
        stamps.append(iso_nano(ms, (ms * 2_654_435_761) % 400_000 + min(number, 500) * 1_137))
    return stamps
