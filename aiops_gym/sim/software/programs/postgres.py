"""PostgreSQL: users by the scripts of its first start, connections that need their passwords.

`POSTGRES_USER` and `POSTGRES_PASSWORD` make the first user; scripts in `/docker-entrypoint-initdb.d` may make others
(`CREATE USER name WITH PASSWORD 'word'`) and tables. Data lies in its folder, for as long as the volume there lives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program, Tool
from aiops_gym.sim.telemetry.log_formats import FORMATS
from aiops_gym.sim.traffic import timeline
from aiops_gym.types import Json, Output

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

PORT = 5432
SCRIPTS, DATA = "/docker-entrypoint-initdb.d/", "/var/lib/postgresql/data"
USER = re.compile(r"CREATE USER (\w+) WITH PASSWORD '([^']*)'", re.IGNORECASE)
TABLE = re.compile(r'CREATE TABLE (?:IF NOT EXISTS )?([\w."]+)', re.IGNORECASE)
COUNT = re.compile(r'select\s+count\(\*\)\s+from\s+([\w."]+)', re.IGNORECASE)
UNSET = (
    "Error: Database is uninitialized and superuser password is not specified.",
    "       You must specify POSTGRES_PASSWORD to a non-empty value for the",
    '       superuser. For example, "-e POSTGRES_PASSWORD=password" on "docker run".',
)


class Postgres(Program):
    """Runs the scripts at its first start, then listens."""

    protocol = "postgres"
    term_ms = (60, 400)

    def start(self, c: Container) -> None:
        """The first start makes users and tables."""
        disk = c.disk(DATA)
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
        """Its log_line_prefix."""
        return FORMATS["%m [%p]"](ms, "log" if level == "info" else level, source, message, "")

    def _say(self, c: Container, message: str) -> None:
        c.log(self.format(c.now, "info", "", message))


def _psql(c: Container, argv: Sequence[str], stdin: str) -> Output:
    r"""`psql [-U user] [-d database] -c COMMAND`: `\dt`, `\du`, and how many rows a table has."""
    words = list(argv[1:])
    text = words[words.index("-c") + 1] if "-c" in words[:-1] else stdin
    user = words[words.index("-U") + 1] if "-U" in words[:-1] else "root"
    users = c.state.get("users") or {}
    if user not in users:
        where = 'connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed'
        return Output("", f'psql: error: {where}: FATAL:  role "{user}" does not exist\n', 2)
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
    if asked := COUNT.match(text.strip()):
        name = asked[1].replace('"', "")
        if name not in tables:
            return Output("", f'ERROR:  relation "{asked[1]}" does not exist\n', 1)
        return Output(f" count \n-------\n {count_rows(c, name):>5}\n(1 row)\n\n")
    return Output("", "ERROR:  this client reads no other statements\n", 1)


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
