"""`docker logs`"""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.docker.call import Call, clean
from aiops_gym.docker.formats import read_time
from aiops_gym.sim.kernel.times import millis


def read_lines(call: Call, name: str) -> list[tuple[str, str]]:
    """(time, text) of the lines of a container that are asked for."""
    since, until = read_time(call, "since"), read_time(call, "until")
    query, tail = {"since": str(since)} if since is not None else {}, call.flags.text("tail")
    limit = int(tail) if tail.isascii() and tail.isdigit() and len(tail) < 9 else None
    if limit is not None and until is None:
        query["tail"] = str(limit)
    found = [(str(stamp), str(text)) for stamp, text in call.ask("GET", f"/containers/{clean(name)}/logs", query)]
    if until is not None:
        found = [line for line in found if millis(line[0]) <= until]
    return found if limit is None else found[max(0, len(found) - limit) :]


def write_lines(call: Call, lines: Sequence[tuple[str, str]], prefix: str = "") -> None:
    """Print lines, with their times where that is asked."""
    stamped = call.flags.on("timestamps")
    call.write("".join(f"{prefix}{f'{stamp} ' if stamped else ''}{text}\n" for stamp, text in lines))


def run(call: Call) -> None:
    """Print a container's log; following ends with the container, or with the time of whoever follows."""
    name = call.args[0]
    write_lines(call, read_lines(call, name))
    while call.flags.on("follow") and call.inspect(name)["State"]["Running"]:
        seen = len(call.ask("GET", f"/containers/{clean(name)}/logs"))
        call.wait(1.0)
        fresh = call.ask("GET", f"/containers/{clean(name)}/logs")[seen:]
        write_lines(call, [(str(stamp), str(text)) for stamp, text in fresh])
