"""PostgreSQL: users by the scripts of its first start, connections that need their passwords.

`POSTGRES_USER` and `POSTGRES_PASSWORD` make the first user; scripts in `/docker-entrypoint-initdb.d` may make others
(`CREATE USER name WITH PASSWORD 'word'`) and tables. Data lies in its folder, for as long as the volume there lives.
Its command line is read as the server reads it (`software/postgres/settings`): what it does not know ends it, and
addresses, connections, reading only and short time limits have their effect. It takes `max_connections`; some are kept
for superusers, whom no service is. Each client that names a user keeps one (`seat`): who came late has none, and is let
in when another one goes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.quantity import parse
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.machine.container import Container, Disk
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program, Tool, program_of
from aiops_gym.sim.software.postgres import psql, settings
from aiops_gym.sim.software.postgres.tables import list_tables
from aiops_gym.sim.telemetry.log_formats import FORMATS
from aiops_gym.sim.traffic import timeline
from aiops_gym.types import Json, Output

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

SCRIPTS, DATA = "/docker-entrypoint-initdb.d/", "/var/lib/postgresql/data"
USER = re.compile(r"CREATE USER (\w+) WITH PASSWORD '([^']*)'", re.IGNORECASE)
INITDB = re.compile(
    r"--(auth|encoding|locale|data-checksums|wal-segsize|no-sync|lc-|icu-|set|text-search)|-[AEkcg]|[^-]"
)
UNSET = (
    "Error: Database is uninitialized and superuser password is not specified.",
    "       You must specify POSTGRES_PASSWORD to a non-empty value for the",
    '       superuser. For example, "-e POSTGRES_PASSWORD=password" on "docker run".',
)
FULL = "pq: remaining connection slots are reserved for roles with the SUPERUSER attribute"
"""As version 17 words it (src/backend/utils/init/postinit.c)."""

READ_ONLY = "pq: cannot execute INSERT in a read-only transaction"
TOO_LATE = "pq: canceling statement due to statement timeout"
SHORTEST = 3
"""Milliseconds that the statements of services take."""

BY_EFFECT = ("max_connections", "superuser_reserved_connections", "reserved_connections")
"""Settings of which only matters what comes of them: whether clients find a place."""


class Postgres(Program):
    """Runs the scripts at its first start, then listens."""

    protocol = "postgres"
    term_ms = (60, 400)

    def start(self, c: Container) -> None:
        """The first start makes users and tables."""
        try:
            said = settings.read(c.argv, c.files(), _folder(c))
            _check_memory(c, said)
        except settings.Unusable as wrong:
            c.log(*(self.format(c.now, level, "", text) if level else text for level, text in wrong.lines))
            c.exit_in(4, 1)
            return
        disk = c.disk(_folder(c))
        if "users" not in disk and not self._initialise(c, disk):
            c.exit_in(4, 1)
            return
        trust = {"pg_hba": "trust"} if disk.get("trust") else {}
        apart = {name: text for name, text in said.differing.items() if name not in BY_EFFECT}
        c.remember(users=disk.get("users"), rows=disk.get("rows") or {"at": c.now, "written": 0.0}, peers=[])
        c.remember(said=dict(said.given), trust=bool(trust), refusing=_list_refusals(said))
        c.remember(configured=_configure(c))
        if apart or trust:
            c.remember(set={**apart, **trust})
        c.after(int(c.between(400, 2_500, "open")), "open")

    def _initialise(self, c: Container, disk: Disk) -> bool:
        """The image's first start: users and tables, or why there are none."""
        trust = c.env.get("POSTGRES_HOST_AUTH_METHOD") == "trust"
        if not c.env.get("POSTGRES_PASSWORD") and not trust:
            c.log(*UNSET)
            return False
        for word in c.env.get("POSTGRES_INITDB_ARGS", "").split():
            if not INITDB.match(word):
                c.log(
                    f"initdb: unrecognized option '{word}'", 'initdb: hint: Try "initdb --help" for more information.'
                )
                return False
        script = "\n".join(text for path, text in c.files().items() if path.startswith(SCRIPTS))
        first = {c.env.get("POSTGRES_USER", "postgres"): c.env.get("POSTGRES_PASSWORD", "")}
        disk.put("users", first | dict(USER.findall(script)))
        disk.put("script", script)
        disk.put("trust", trust)
        c.log("PostgreSQL init process complete; ready for start up.")
        return True

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """Listen."""
        said = _read(c)
        port, hosts = said.number("port"), said.show("listen_addresses")
        if hosts:
            self._say(c, f'listening on IPv4 address "{"127.0.0.1" if said.local else "0.0.0.0"}", port {port}')
        self._say(c, f'listening on Unix socket "/var/run/postgresql/.s.PGSQL.{port}"')
        self._say(c, "database system is ready to accept connections")
        c.listen(port)

    def refuses(self, world: World, key: str, call: Mapping[str, Json], credentials: Mapping[str, str] | None) -> str:
        """Whoever names no user, or another password; and what its settings let nobody do."""
        state, login = world.table("processes")[key]["state"], credentials or {}
        users, user = state.get("users") or {}, login.get("user", "postgres")
        if user not in users or not (state.get("trust") or users[user] == login.get("password")):
            return f'pq: password authentication failed for user "{user}"'
        refusing: Mapping[str, str] = state.get("refusing") or {}
        return refusing.get("all", "") or (refusing.get("writes", "") if call.get("writes") else "")

    def seat(self, c: Container, client: str) -> None:
        """A client would keep a connection; where none is left it waits until another one goes."""
        self._seat(c, [*[each for each in c.state.get("peers", ()) if each != client], client])

    def hung_up(self, c: Container, peer: str) -> None:
        """A client has gone."""
        self._seat(c, [each for each in c.state.get("peers", ()) if each != peer])

    def _seat(self, c: Container, peers: list[str]) -> None:
        slots, rows = _count_slots(c), c.world.table("processes")
        c.remember(peers=[key for key in peers if key in rows and rows[key]["running"]])
        peers = list(c.state["peers"])
        c.remember(configured=_configure(c))
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


def _folder(c: Container) -> str:
    return c.env.get("PGDATA", DATA)


def _read(c: Container) -> settings.Settings:
    """The settings that are in force."""
    return settings.Settings(c.state.get("said") or {})


def _check_memory(c: Container, said: settings.Settings) -> None:
    """Whether the node has what is asked for. Raises Unusable."""
    node = c.world.store.get("nodes", "", str(get(c.pod or {}, "spec", "nodeName", default="")))
    there = parse(str(get(node or {}, "status", "capacity", "memory", default="0")))
    if there and settings.count_bytes(said.show("shared_buffers") or "") > there:
        raise settings.Unusable("could not map anonymous shared memory: Cannot allocate memory")


def _list_refusals(said: settings.Settings) -> dict[str, str]:
    """What the settings let nobody do: everything, or only writing."""
    limit = said.given.get("statement_timeout", "0")
    if limit.removesuffix("ms").isdigit() and 0 < int(limit.removesuffix("ms")) < SHORTEST:
        return {"all": TOO_LATE}
    return {"writes": READ_ONLY} if said.given.get("default_transaction_read_only") == "on" else {}


def _configure(c: Container) -> dict[str, Json]:
    """What others find: whether there is a place left, and whether they reach it at all."""
    said = _read(c)
    found: dict[str, Json] = {"full": FULL} if len(c.state.get("peers", ())) >= _count_slots(c) else {}
    return found | ({"local": [said.number("port")]} if said.local else {})


def _psql(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`psql`, beside the server or against another one."""
    line = psql.read_line(argv[1:])
    if line.unknown:
        return Output("", f'psql: {line.unknown}\npsql: hint: Try "psql --help" for more information.\n', 1)
    if "V" in line.options or "version" in line.options:
        return Output("psql (PostgreSQL) 17.6 (Debian 17.6-2.pgdg13+1)\n")
    user = line.get("U", 1, c.env.get("PGUSER", "root"))
    database = line.get("d", 0, c.env.get("PGDATABASE", "postgres" if "l" in line.options else user))
    host, port = line.options.get("h", c.env.get("PGHOST", "")), line.options.get("p", c.env.get("PGPORT", "5432"))
    server, where = _reach(c, host, port)
    if server is None:
        return Output("", f"psql: error: {where}\n", 2)
    password = line.options.get("password") or c.env.get("PGPASSWORD")
    wrong = _turn_away(server, user, database, password, bool(host))
    if wrong:
        return Output("", f"psql: error: {where}: {wrong}\n", 2)
    return psql.run(_connect(server, user, database), line, stdin)


def _reach(c: Container, host: str, port: str) -> tuple[Container | None, str]:
    """The server that is asked, and how it is called; or None and why there is none."""
    where = psql.HOST.format(host=host, port=port) if host else psql.SOCKET.format(port=port)
    if not host:
        there = isinstance(program_of(c.world, c.process), Postgres) and c.process["ports"] == [_read(c).number("port")]
        if there and port == str(_read(c).number("port")):
            return c, where
        asked = "Is the server running locally and accepting connections on that socket?"
        return None, f"{where}: No such file or directory\n\t{asked}"
    route = c.dial(host, int(port) if port.isdigit() else 0)
    for target in route.targets if route.outcome == "ok" else ():
        if isinstance(program_of(c.world, c.world.table("processes")[target.process]), Postgres):
            return Container(c.world, target.process), where
    if route.outcome in ("no_host", "no_answer"):
        return None, f'could not translate host name "{host}" to address: Name or service not known'
    why = "timeout expired" if route.outcome == "timeout" else "Connection refused"
    return None, f"{where}: {why}\n\tIs the server running on that host and accepting TCP/IP connections?"


def _turn_away(server: Container, user: str, database: str, password: str | None, remote: bool) -> str:
    """Why somebody is not let in, "" for no reason; who comes by the socket needs no password."""
    users, owner = server.state.get("users") or {}, server.env.get("POSTGRES_USER", "postgres")
    if remote and not server.state.get("trust") and users.get(user) != password:
        told = f'FATAL:  password authentication failed for user "{user}"'
        return told if password else "fe_sendauth: no password supplied"
    if user not in users:
        return f'FATAL:  role "{user}" does not exist'
    if database not in _list_databases(server):
        return f'FATAL:  database "{database}" does not exist'
    full = user != owner and _count_sessions(server) == _count_slots(server)
    return FULL.replace("pq:", "FATAL: ") if full else ""


def _list_databases(server: Container) -> list[str]:
    own = server.env.get("POSTGRES_DB") or server.env.get("POSTGRES_USER", "postgres")
    return sorted({*psql.DATABASES, own})


def _connect(server: Container, user: str, database: str) -> psql.Session:
    owner = server.env.get("POSTGRES_USER", "postgres")
    script = str(server.disk(_folder(server)).get("script") or "")
    own = server.env.get("POSTGRES_DB") or owner
    rows, users = server.world.table("processes"), sorted(server.state.get("users") or {})
    service = next((name for name in users if name != owner), owner)
    clients: list[Sequence[Any]] = [
        (own, 70 + at, service, str(rows[key]["ip"]), "idle", "", "client backend")
        for at, key in enumerate(list(server.state.get("peers", ()))[: _count_slots(server)])
    ]
    clients.append((database, 70 + len(clients), user, "", "active", "", "client backend"))
    script = script if database == own else ""
    written = {f"{table.schema}.{table.name}": 0 for table in list_tables(script)}
    written |= {name: count_rows(server, name) for name in written}
    return psql.Session(
        server, user, owner, database, _list_databases(server), script, written, _read(server), clients, users
    )


def _count_sessions(c: Container) -> int:
    """Connections that clients have; psql's own comes on top."""
    return min(len(c.state.get("peers", ())), _count_slots(c))


def _count_slots(c: Container) -> int:
    said = _read(c)
    return said.number("max_connections") - sum(said.number(f"{w}reserved_connections") for w in ("superuser_", ""))


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
                    if mine and table in (call.get("writes") or ()):
                        found += seconds * float(interval.outcome["rps"][node["process"]])
    return int(found)


def _ready(c: Container, argv: Sequence[str], stdin: str) -> Output:
    return Output(f"/var/run/postgresql:{_read(c).number('port')} - accepting connections\n")


program = Postgres()
