"""memcached: a cache in memory. Says nothing in its log, and answers its text protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program
from aiops_gym.sim.telemetry import usage as telemetry

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

PORT = 11211
VERSION = "1.6.31"
"""Unless the params have a `version`."""

HITS = 0.97
"""Share of the gets that find something."""


LETTERS = "a:AZp:s:U:m:Mc:khiVrvdl:u:P:f:n:t:D:LR:Cb:B:I:SFXY:e:o:N:"
"""Its options; those with a colon take a value."""

LONG = {
    "conn-limit": "c",
    "disable-evictions": "M",
    "listen": "l",
    "max-item-size": "I",
    "max-reqs-per-event": "R",
    "memory-limit": "m",
    "extended": "o",
    "port": "p",
    "threads": "t",
    "udp-port": "U",
    "unix-socket": "s",
    "user": "u",
    "verbose": "v",
    "listen-backlog": "b",
    "protocol": "B",
    "disable-cas": "C",
    "disable-flush-all": "F",
    "enable-largepages": "L",
    "lock-memory": "k",
}
USUAL: Mapping[str, str] = {"p": str(PORT), "m": "64", "c": "1024", "t": "4", "U": "0", "b": "1024"}
"""What its options are where they are not given."""

PER_THREAD, LISTENERS = 5, 2
"""Descriptors that it keeps for each thread, and those on which it waits for connections."""

FAILURE = 1
LOCAL = frozenset(("127.0.0.1", "localhost", "::1", "[::1]"))


def read_options(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Options by their letter, and what is said of a command line that cannot be read.

    >>> read_options(["-vp", "11212", "-m64", "--listen=127.0.0.1"])
    ({'v': '', 'p': '11212', 'm': '64', 'l': '127.0.0.1'}, [])
    >>> read_options(["-z"])
    ({}, ["memcached: invalid option -- 'z'", 'Illegal argument "?"'])
    """
    found: dict[str, str] = {}
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            letter = LONG.get(name, "")
            if not letter:
                return found, [f"memcached: unrecognized option '{word}'", ILLEGAL]
            takes = f"{letter}:" in LETTERS
            if takes and not equals and not left:
                return found, [f"memcached: option '{word}' requires an argument", ILLEGAL]
            found[letter] = value if equals or not takes else left.pop(0)
            continue
        letters = word[1:] if word.startswith("-") else ""
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter == ":" or letter not in LETTERS:
                return found, [f"memcached: invalid option -- '{letter}'", ILLEGAL]
            found[letter] = ""
            if f"{letter}:" in LETTERS:
                if not letters and not left:
                    return found, [f"memcached: option requires an argument -- '{letter}'", ILLEGAL]
                found[letter], letters = letters or left.pop(0), ""
    return found, []


ILLEGAL = 'Illegal argument "?"'


class Memcached(Program):
    """Listens at once."""

    protocol = "memcached"

    def start(self, c: Container) -> None:
        """Read the command line and open the port."""
        options, wrong = read_options(c.argv[1:])
        if wrong := wrong or find_problem(options):
            c.log(*wrong)
            c.exit_in(5, FAILURE)
            return
        if changed := {letter: value for letter, value in options.items() if value != USUAL.get(letter)}:
            c.remember(set=changed)
        given = options.get("p", "")
        port = int(given) if is_natural(given) else PORT
        hosts = [host.strip().rpartition(":")[0] or host.strip() for host in options.get("l", "").split(",") if host]
        if hosts and LOCAL.issuperset(hosts):
            c.remember(configured={"local": [port]})
        if port and "s" not in options:
            c.listen(port)

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """The cache fills with its use."""
        cached = min(min(rps, 2_000.0) * 4_000, _read_number(process, "m") * MIB or float("inf"))
        memory = float(process["params"].get("memory", 3 * MIB)) + cached
        return {"cpu": 0.0006 + cpu_seconds_per_s, "memory": memory, "threads": 10.0}

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """It speaks no HTTP."""
        return None

    def talk(self, world: World, process: Process, text: str) -> str:
        """Its text protocol, as far as it is used to look around; nothing is kept."""
        found = ""
        lines = text.replace("\r\n", "\n").split("\n")
        while lines:
            words = lines.pop(0).split()
            if not words:
                continue
            if words[0] == "quit":
                break
            if words[0] in ("set", "add", "replace") and len(words) > 4:
                lines = lines[1:]
                found += "STORED\r\n" if words[0] != "replace" else "NOT_STORED\r\n"
            elif words[0] == "version":
                found += f"VERSION {_version(process)}\r\n"
            elif words[0] == "stats" and len(words) == 1:
                found += "".join(f"STAT {k} {v}\r\n" for k, v in _stats(world, process).items()) + "END\r\n"
            else:
                found += ANSWERS.get(words[0], "ERROR\r\n")
        return found


ANSWERS = {"get": "END\r\n", "gets": "END\r\n", "stats": "END\r\n"}
ANSWERS |= {"delete": "NOT_FOUND\r\n", "flush_all": "OK\r\n", "incr": "NOT_FOUND\r\n", "touch": "NOT_FOUND\r\n"}


def find_problem(options: Mapping[str, str]) -> list[str]:
    """What it says of numbers with which it does not start.

    >>> find_problem({"c": "1"}), find_problem({"c": "24"})
    (['Maxconns setting is too low, use -c to increase.'], [])
    """
    most, threads = (_number({**USUAL, **options}[letter]) for letter in "ct")
    if most <= 0:
        return ["Maximum connections must be greater than 0"]
    if threads <= 0:
        return ["Number of threads must be greater than 0"]
    low = LISTENERS + PER_THREAD * threads >= most - 1
    return ["Maxconns setting is too low, use -c to increase."] if low else []


def _number(text: str) -> int:
    """As C reads it."""
    return int(text) if is_natural(text) else 0


def _read_number(process: Instance, letter: str) -> int:
    """An option that is a number, given or usual."""
    return _number({**USUAL, **process["state"].get("set", {})}[letter])


def _version(process: Process) -> str:
    return str(process["params"].get("version", VERSION))


def _stats(world: World, process: Process) -> dict[str, int | str]:
    """What it counted since it started, from the requests that reached it."""
    key, started = f"{process['uid']}/{process['container']}", int(process["started"])
    rps, _ = telemetry.measure_demand(world, key, started, max(world.now, started + 1))
    seconds = (world.now - started) // 1000
    gets = int(rps * seconds)
    hits, items = int(gets * HITS), min(gets, 640)
    return {
        "pid": 1,
        "uptime": seconds,
        "time": world.now // 1000,
        "version": _version(process),
        "libevent": "2.1.12-stable",
        "pointer_size": 64,
        "max_connections": _read_number(process, "c"),
        "curr_connections": 2 + min(items, 3),
        "total_connections": 4 + gets // 900,
        "rejected_connections": 0,
        "cmd_get": gets,
        "cmd_set": gets - hits,
        "cmd_flush": 0,
        "get_hits": hits,
        "get_misses": gets - hits,
        "bytes_read": gets * 34,
        "bytes_written": hits * 412,
        "limit_maxbytes": _read_number(process, "m") * MIB,
        "accepting_conns": 1,
        "listen_disabled_num": 0,
        "threads": _read_number(process, "t"),
        "bytes": items * 398,
        "curr_items": items,
        "total_items": gets - hits,
        "evictions": 0,
    }


program = Memcached()
