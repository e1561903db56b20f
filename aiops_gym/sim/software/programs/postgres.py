"""PostgreSQL: users by the scripts of its first start, connections that need their passwords.

`POSTGRES_USER` and `POSTGRES_PASSWORD` make the first user; scripts in `/docker-entrypoint-initdb.d` may make others
(`CREATE USER name WITH PASSWORD 'word'`) and tables. Data lies in its folder, for as long as the volume there lives.
It takes `max_connections` of them, an argument or 100; some are kept for superusers, whom no service is. Each client
that names a user keeps one (`seat`): who came late has none, and is let in when another one goes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program, Tool, program_of
from aiops_gym.sim.telemetry.log_formats import FORMATS
from aiops_gym.sim.traffic import timeline
from aiops_gym.types import Json, Output

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

PORT = 5432
SCRIPTS, DATA = "/docker-entrypoint-initdb.d/", "/var/lib/postgresql/data"
USER = re.compile(r"CREATE USER (\w+) WITH PASSWORD '([^']*)'", re.IGNORECASE)
TABLE = re.compile(r'CREATE TABLE (?:IF NOT EXISTS )?([\w."]+)', re.IGNORECASE)
MOST_ASKED = re.compile(r"show\s+max_connections\s*;?$", re.IGNORECASE)
COUNT = re.compile(r'select\s+count\(\*\)\s+from\s+([\w."]+)', re.IGNORECASE)
UNSET = (
    "Error: Database is uninitialized and superuser password is not specified.",
    "       You must specify POSTGRES_PASSWORD to a non-empty value for the",
    '       superuser. For example, "-e POSTGRES_PASSWORD=password" on "docker run".',
)

MOST = re.compile(r"max_connections\s*=\s*(\d{1,6})\b")
USUAL, RESERVED = 100, 3
"""Connections where no argument says how many, and how many of them are kept for superusers."""

FEW = (
    "postgres: superuser_reserved_connections (3) plus reserved_connections (0) must be less than max_connections ({})"
)
FULL = "pq: remaining connection slots are reserved for roles with the SUPERUSER attribute"
"""As version 17 words them (src/backend/postmaster/postmaster.c, utils/init/postinit.c)."""


class Postgres(Program):
    """Runs the scripts at its first start, then listens."""

    protocol = "postgres"
    term_ms = (60, 400)

    def start(self, c: Container) -> None:
        """The first start makes users and tables."""
        disk, said = c.disk(DATA), MOST.findall(" ".join(c.argv))
        most = int(said[-1]) if said else USUAL
        if most <= RESERVED:
            c.log(FEW.format(most))
            c.exit_in(4, 1)
            return
        if "users" not in disk:
            if not c.env.get("POSTGRES_PASSWORD"):
                c.log(*UNSET)
                c.exit_in(4, 1)
                return
            scripts = "\n".join(text for path, text in c.files().items() if path.startswith(SCRIPTS))
            first = {c.env.get("POSTGRES_USER", "postgres"): c.env["POSTGRES_PASSWORD"]}
            disk.put("users", first | dict(USER.findall(scripts)))
            disk.put("tables", [name.replace('"', "") for name in TABLE.findall(scripts)])
            c.log("PostgreSQL init process complete; ready for start up.")
        c.remember(users=disk.get("users"), rows=disk.get("rows") or {"at": c.now, "written": 0.0})
        c.remember(most=most, peers=[])
        c.after(int(c.between(400, 2_500, "open")), "open")

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """Listen."""
        self._say(c, f'listening on IPv4 address "0.0.0.0", port {PORT}')
        self._say(c, "database system is ready to accept connections")
        c.listen(PORT)

    def refuses(self, world: World, key: str, call: Mapping[str, Json], credentials: Mapping[str, str] | None) -> str:
        """Whoever names no user, or another password."""
        users, login = world.table("processes")[key]["state"].get("users") or {}, credentials or {}
        user = login.get("user", "postgres")
        if user in users and users[user] == login.get("password"):
            return ""
        return f'pq: password authentication failed for user "{user}"'

    def seat(self, c: Container, client: str) -> None:
        """A client would keep a connection; where none is left it waits until another one goes."""
        self._seat(c, [*[each for each in c.state.get("peers", ()) if each != client], client])

    def hung_up(self, c: Container, peer: str) -> None:
        """A client has gone."""
        self._seat(c, [each for each in c.state.get("peers", ()) if each != peer])

    def _seat(self, c: Container, peers: list[str]) -> None:
        slots, rows = _count_slots(c), c.world.table("processes")
        peers = [key for key in peers if key in rows and rows[key]["running"]]
        c.remember(peers=peers, configured={"full": FULL} if len(peers) >= slots else {})
        for place, key in enumerate(peers):
            program_of(c.world, rows[key]).event(
                Container(c.world, key), "seated", c.key, "" if place < slots else FULL
            )

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """A process for each connection."""
        memory = float(process["params"].get("memory", 42 * MIB)) + min(rps, 200.0) * 30_000
        return {"cpu": 0.003 + cpu_seconds_per_s, "memory": memory, "threads": 12.0}

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """It speaks no HTTP."""
        return None

    def talk(self, world: World, process: Process, text: str) -> str:
        """Text is no start-up packet: it hangs up."""
        return ""

    def tools(self, c: Container) -> Mapping[str, Tool]:
        """Its clients."""
        return {"psql": _psql, "pg_isready": _ready}

    def format(self, ms: int, level: str, source: str, message: str) -> str:
        """Its log_line_prefix; whom it lets in no further is told why."""
        if level == "denied":
            level, source, message = "fatal", "", message.removeprefix("pq: ")
        return FORMATS["%m [%p]"](ms, "log" if level == "info" else level, source, message, "")

    def _say(self, c: Container, message: str) -> None:
        c.log(self.format(c.now, "info", "", message))


def _psql(c: Container, argv: Sequence[str], stdin: str) -> Output:
    r"""`psql [-U user] [-d database] -c COMMAND`: `\dt`, `\du`, how many rows a table has, and connections."""
    words = list(argv[1:])
    text = words[words.index("-c") + 1] if "-c" in words[:-1] else stdin
    user = words[words.index("-U") + 1] if "-U" in words[:-1] else "root"
    users = c.state.get("users") or {}
    where = 'psql: error: connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: FATAL:  '
    if user not in users:
        return Output("", f'{where}role "{user}" does not exist\n', 2)
    if user != c.env.get("POSTGRES_USER", "postgres") and _count_sessions(c) == _count_slots(c):
        return Output("", f"{where}{FULL.removeprefix('pq: ')}\n", 2)
    tables = c.disk(DATA).get("tables") or []
    if text.strip().startswith(r"\du"):
        return Output(
            "     List of roles\n Role name | Attributes\n-----------+------------\n"
            + "".join(f" {n}\n" for n in users)
        )
    if text.strip().startswith(r"\dt"):
        return Output(
            "".join(f" {name.rpartition('.')[0]} | {name.rpartition('.')[2]} | table | root\n" for name in tables)
        )
    if MOST_ASKED.match(text.strip()):
        return _table("max_connections", str(c.state.get("most", USUAL)))
    if asked := COUNT.match(text.strip()):
        name = asked[1].replace('"', "")
        if name.removeprefix("pg_catalog.") == "pg_stat_activity":
            return _table("count", f"{_count_sessions(c) + 1:>5}")
        if name not in tables:
            return Output("", f'ERROR:  relation "{asked[1]}" does not exist\n', 1)
        return _table("count", f"{count_rows(c, name):>5}")
    return Output("", "ERROR:  this client reads no other statements\n", 1)


def _table(title: str, value: str) -> Output:
    return Output(f" {title} \n{'-' * (len(title) + 2)}\n {value}\n(1 row)\n\n")


def _count_sessions(c: Container) -> int:
    """Connections that clients have; psql's own comes on top."""
    return min(len(c.state.get("peers", ())), _count_slots(c))


def _count_slots(c: Container) -> int:
    return int(c.state.get("most", USUAL)) - RESERVED


def count_rows(c: Container, table: str) -> int:
    """Rows that requests have written into a table since the server started (`writes` of their calls)."""
    found = 0.0
    for interval in timeline.list_intervals(c.world, int(c.process["started"]), c.now):
        nodes, keys = interval.outcome["nodes"], interval.outcome["processes"]
        seconds = (interval.end - interval.start) / 1000.0
        for node in nodes:
            for item in node["calls"]:
                for call in item if isinstance(item, list) else (item,):
                    mine = [t for t in call["to"] if t[0] >= 0 and keys[nodes[t[0]]["process"]] == c.key]
                    if mine and call.get("writes") == table:
                        found += seconds * float(interval.outcome["rps"][node["process"]])
    return int(found)


def _ready(c: Container, argv: Sequence[str], stdin: str) -> Output:
    return Output(f"/var/run/postgresql:{PORT} - accepting connections\n")


program = Postgres()
