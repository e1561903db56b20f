"""What every kind of program in a container can be asked; `sim/software/programs/` has one kind a file."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.types import Json, Output

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World
    from aiops_gym.sim.machine.container import Container, Disk

Tool = Callable[["Container", Sequence[str], str], Output]
"""(container, argv with the tool's own name first, stdin) -> what it left behind."""

MIB = 1 << 20
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
BAD_REQUEST = (
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What an HTTP server sent back: `seconds` is how long it thought; `tls` whether it speaks HTTPS only.

    A status of 0 is a server that hung up without an answer; `until` is when its certificate ends (ms), 0 for long
    after.
    """

    status: int
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    tls: bool = False
    until: int = 0


class Program:
    """A daemon that starts at once, says nothing and ends when asked; other kinds change what they do differently.

    Attributes:
        term_code: exit code after SIGTERM.
        term_ms: (shortest, longest) time it takes to end.
        language: whose client libraries it uses, see `sim/traffic/clients`.
        protocol: the one protocol that it speaks, by the kind of call; "" where its handlers decide.
        registry: whether others ask it for addresses.
        collector: whether others send it their spans.
        traced: how its handlers appear in traces: "" as Go's libraries have it, `plain` without tags, `nginx`.
    """

    term_code = 0
    term_ms = (50, 300)
    language = "go"
    protocol = ""
    registry = False
    collector = False
    traced = ""

    def start(self, c: Container) -> None:
        """The process begins: open ports, write the first lines, plan what comes next."""
        for port in c.params.get("ports", ()):
            c.listen(int(port))

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """What the program planned with `Container.after` is due."""

    def terminate(self, c: Container) -> None:
        """SIGTERM."""
        low, high = self.term_ms
        c.exit_in(int(c.between(low, high, "terminate")), self.term_code)

    def failing(self, c: Container, call: str, error: str) -> None:
        """A system call, see `machine.system_calls`, fails for it from now on."""

    def hung_up(self, c: Container, peer: str) -> None:
        """The process `peer`, which `state["peers"]` of this one names, has ended."""

    def background(self, process: Process, start: int, end: int, seed: int) -> list[tuple[int, str]]:
        """Lines it writes by itself in [start, end) ms, whatever the load: a pure function."""
        return []

    def follows(self, process: Process) -> Hashable:
        """What of its state those lines follow: of what has passed nothing in it changes any more."""
        return ()

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """What it uses under a load: cpu in cores, memory in bytes, threads."""
        params = process["params"]
        memory = float(params.get("memory", 12 * MIB)) * (1.0 + 0.05 * min(1.0, rps / 1_000.0)) + 20_000.0 * min(
            rps, 400
        )
        return {
            "cpu": float(params.get("cpu", 0.001)) + cpu_seconds_per_s,
            "memory": memory,
            "threads": float(params.get("threads", 8)),
        }

    def tools(self, c: Container) -> Mapping[str, Tool]:
        """Commands of its own that can be run beside it in the container."""
        return {}

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """Status and body that a GET of `path` returns."""
        return 404, "404 page not found\n"

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """The whole answer to a request; None from what does not speak HTTP."""
        status, body = self.http(world, process, path)
        return HttpAnswer(status, body, seconds=0.0012, tls=bool(process["params"].get("tls"))) if status else None

    def post(self, world: World, process: Process, path: str, body: str) -> HttpAnswer | None:
        """The whole answer to a POST with a body, which most do not read."""
        return self.answer(world, process, "POST", path)

    def talk(self, world: World, process: Process, text: str) -> str:
        """What it sends back when plain text comes in over a connection; web servers read it as a request."""
        method, _, rest = text.partition(" ")
        if not text.strip() or method not in METHODS:
            return BAD_REQUEST if text.strip() and self.http(world, process, "/")[0] else ""
        reply = self.answer(world, process, method, rest.split()[0] if rest.split() else "/")
        return f"HTTP/1.1 {reply.status}\r\nConnection: close\r\n\r\n{reply.body}" if reply is not None else ""

    def registrations(self, process: Process) -> Sequence[tuple[str, str, int]]:
        """Name, address and port of all that it would name to whoever asks for addresses, oldest first."""
        return ()

    def accounts(self, world: World, key: str) -> str:
        """The row of table `volumes` that decides whom it lets in; "" where nothing stored does."""
        return ""

    def understands(self, process: Process, secure: bool) -> bool:
        """Whether it goes on with a connection that begins with TLS, or without."""
        return True

    def refuses(self, world: World, key: str, call: Mapping[str, Json], credentials: Mapping[str, str] | None) -> str:
        """Why it says no to a call over an open connection; "" where it does not."""
        return ""

    def stored(self, disk: Disk) -> Mapping[str, int]:
        """Files that its data in a folder of a volume amounts to: relative path (of a folder with `/`) -> bytes."""
        return {}

    def erased(self, disk: Disk, names: Sequence[str]) -> None:
        """Somebody removed such files."""

    def again(self, c: Container, argv: Sequence[str]) -> Output:
        """What happens when it is started once more, beside the one that runs."""
        name = argv[0].rpartition("/")[2]
        ports = c.process["ports"]
        text = f"{name}: listen tcp :{ports[0]}: bind: address already in use\n" if ports else ""
        return Output("", text, 1)

    def about(self, process: Process, handler: str, address: str) -> str:
        """What its log adds to lines about requests for a handler; `address` is that which users know."""
        return ""

    def peers(self, process: Process) -> Sequence[str]:
        """Addresses that `about` names besides the one it is given; one that is left out here is never shared."""
        return ()

    def format(self, ms: int, level: str, source: str, message: str) -> str:
        """One line in the program's own log format."""
        return message


def find(world: World, kind: str) -> Program:
    """The program of a kind. Raises BackendError for one that does not exist."""
    found: Program = world.dynamics.programs(kind)
    return found


def program_of(world: World, process: Instance) -> Program:
    """The program that a process runs, or ran."""
    return find(world, process["program"])


def list_ticks(begin: int, start: int, end: int, period: int, offset: int = 0) -> Iterator[tuple[int, int]]:
    """(number, time in ms) of what recurs each `period` ms since `begin`, within [start, end).

    >>> list(list_ticks(100, 1_000, 3_500, 1_000))
    [(1, 1100), (2, 2100), (3, 3100)]
    """
    first = begin + offset
    number = max(1, -((first - start) // period))
    while (time := first + number * period) < end:
        if time >= start:
            yield number, time
        number += 1


def draw_jitter(process: Process, seed: int, purpose: str, number: int, spread: int) -> int:
    """Milliseconds in [0, spread) that belong to one recurrence of one process."""
    return draws.pick(spread, seed, purpose, str(process["id"]), number) if spread > 0 else 0
