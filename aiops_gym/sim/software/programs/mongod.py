"""A MongoDB 4.4 server: a data folder, users and roles, structured logs; its first start runs init scripts.

Params: `version`, `memory`, `cpu`. It reads its command line, the file named there (see `sim/software/mongo/settings`),
and of the environment what the official image's entry point does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.machine.program import MIB, Program, Tool, draw_jitter, list_ticks
from aiops_gym.sim.machine.system_calls import find_failure
from aiops_gym.sim.software.mongo import files, first_start, settings, shell, storage_failure, tls
from aiops_gym.sim.software.mongo.server import REFUSED, Server, find_refusal, format_line
from aiops_gym.sim.traffic import failure_lines, quotas
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.types import Json, Output

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World
    from aiops_gym.sim.machine.container import Container, Disk


TLS_NOTE = "Automatically disabling TLS 1.0, to force-enable TLS 1.0 specify --sslDisabledProtocols 'none'"
NODE_MIB, LEAST_CACHE = 7878, 256
"""MiB: what a node without a limit is taken to have, and the least cache."""

OWNER, CANNOT_OPEN = 999, 100
"""User that the data belongs to, and the exit code of a server that cannot open it."""

FIRST_POOLED, POOLED = 4, 20
"""Connections that requests come over are numbered by their client's address, from the first on."""

WARNINGS = (
    (22178, "/sys/kernel/mm/transparent_hugepage/enabled is 'always'. We suggest setting it to 'never'"),
    (
        22120,
        "Access control is not enabled for the database. Read and write access to data and configuration is "
        "unrestricted",
    ),
)


class Mongod(Program):
    """Opens its data folder, then listens."""

    term_ms = (120, 900)
    protocol = "mongo"

    def accounts(self, world: World, key: str) -> str:
        """Its users."""
        return Server(world, key).data.disk.prefix + "users"

    def understands(self, process: Process, secure: bool) -> bool:
        """By the TLS mode of its settings."""
        return tls.understands(configured(process).get("tls"), secure)

    def refuses(self, world: World, key: str, call: Mapping[str, Json], credentials: Mapping[str, str] | None) -> str:
        """Whoever is not known, or lacks the right."""
        database, collection = str(call.get("database", "test")), str(call.get("collection", ""))
        return find_refusal(world, key, credentials, database, collection=collection)

    def start(self, c: Container) -> None:
        """Read the command line; make the data folder's first users if it is empty."""
        found = settings.read(c)
        if isinstance(found, tls.Refused):
            self._refuse(c, found)
            return
        argv = _full_argv(c, found.auth, found.options is not None)
        c.remember(path=found.path, auth=found.auth, port=found.port, argv=argv, connections=0, open=0)
        if found.options is not None:
            c.remember(options=found.options)
        if found.configured:
            c.remember(configured=found.configured)
        server = Server(c.world, c.key)
        self._greet(c, server)
        if not _may_write(c, server):
            self._give_up(c, server)
        elif error := find_failure(c.world, c.process["uid"], "write"):
            storage_failure.fail_to_open(c, error)
        elif not server.data.empty:
            c.after(int(c.between(700, 1_600, "open")), "open")
        elif c.process.get("wrapped") and first_start.is_wanted(c):
            c.after(int(c.between(900, 1_800, "prepare")), "prepare")
        else:
            server.data.format(server.version)
            c.after(int(c.between(1_300, 2_600, "open")), "open")

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """`prepare`: run the init scripts on a server that only they can reach; `open`: listen to everybody."""
        server = Server(c.world, c.key)
        if name == "prepare":
            server.data.format(server.version)
            first_start.run(c)
            c.after(int(c.between(1_500, 2_600, "restart")), "restart")
        elif name == "restart":
            self._greet(c, server)
            c.after(int(c.between(700, 1_400, "open")), "open")
        else:
            port = int(c.state["port"])
            server.log("NETWORK", 23015, "listener", "Listening on", {"address": f"/tmp/mongodb-{port}.sock"})
            address = "127.0.0.1" if configured(c.process).get("local") else "0.0.0.0"
            server.log("NETWORK", 23015, "listener", "Listening on", {"address": address})
            ssl = "off" if configured(c.process).get("tls", "disabled") == "disabled" else "on"
            server.log("NETWORK", 23016, "listener", "Waiting for connections", {"port": port, "ssl": ssl})
            c.listen(port)

    def terminate(self, c: Container) -> None:
        """A clean shutdown."""
        server = Server(c.world, c.key)
        detail = {"signal": 15, "error": "Terminated"}
        server.log("CONTROL", 23377, "SignalHandler", "Received signal", detail)
        server.log("CONTROL", 23378, "SignalHandler", "Signal was sent by kill(2)", {"pid": 0, "uid": 0})
        server.log("REPL", 4784900, "SignalHandler", "Stepping down the ReplicationCoordinator for shutdown")
        server.log("NETWORK", 20562, "SignalHandler", "Shutdown: going to close listening sockets")
        server.log("STORAGE", 22279, "SignalHandler", "Shutting down the storage engine")
        for port in list(c.process["ports"]):
            c.close(port)
        super().terminate(c)

    def failing(self, c: Container, call: str, error: str) -> None:
        """It would rather end than go on without its journal."""
        if call == "write":
            storage_failure.panic(c, error)

    def hung_up(self, c: Container, peer: str) -> None:
        """A client's process ended, and its connection with it."""
        peers = dict(c.state["peers"])
        number, remote = peers.pop(peer)
        c.remember(peers=peers)
        Server(c.world, c.key).ended(number, remote)

    def background(self, process: Process, start: int, end: int, seed: int) -> list[tuple[int, str]]:
        """A checkpoint each minute."""
        found = []
        for number, tick in list_ticks(process["started"], start, end, MINUTE, 2_500):
            time = tick + draw_jitter(process, seed, "checkpoint", number, 40)
            if not start <= time < end:
                continue
            thread = "1:0x7f" + draws.hexes(10, seed, "thread", process["id"])
            text = (
                f"[{time // 1000}:{time % 1000:03d}{number % 1000:03d}][{thread}], WT_SESSION.checkpoint: "
                f"[WT_VERB_CHECKPOINT_PROGRESS] saving checkpoint snapshot min: {number + 3}, "
                f"snapshot max: {number + 3} snapshot count: 0, oldest timestamp: (0, 0) , "
                "meta checkpoint timestamp: (0, 0)"
            )
            detail = {"message": text}
            found.append(
                (time, format_line(time, "STORAGE", 22430, "WTCheckpointThread", "WiredTiger message", detail))
            )
        return found

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """A cache that fills with use, and some work of its own."""
        params = process["params"]
        memory = float(params.get("memory", 72 * MIB)) + min(rps, 2_000.0) * 12_000
        cpu = float(params.get("cpu", 0.004)) + cpu_seconds_per_s
        return {"cpu": cpu, "memory": memory, "threads": 33.0 + int(process.get("state", {}).get("open", 0))}

    def tools(self, c: Container) -> Mapping[str, Tool]:
        """Its shell."""
        return {"mongo": shell.mongo, "mongod": _version}

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """What a browser sees on the database's port."""
        return 200, "It looks like you are trying to access MongoDB over HTTP on the native driver port.\n"

    def stored(self, disk: Disk) -> Mapping[str, int]:
        """What WiredTiger writes."""
        return files.list_files(disk)

    def erased(self, disk: Disk, names: Sequence[str]) -> None:
        """Without its catalogue WiredTiger finds nothing."""
        if any(name in files.VITAL for name in names):
            for name in disk.names():
                disk.remove(name)

    def format(self, ms: int, level: str, source: str, message: str) -> str:
        """The structured log."""
        if level == failure_lines.TURNED_AWAY:
            return _turned_away(ms, source, message)
        if level == failure_lines.DENIED:
            context = f"conn{FIRST_POOLED + sum(map(int, source.split('.'))) % POOLED}"
            detail = {"error": {"code": 13, "codeName": "Unauthorized", "errmsg": message}}
            return format_line(ms, "ACCESS", 20436, context, "Checking authorization failed", detail)
        return format_line(ms, source or "COMMAND", 51803, "conn1", message, level=level[:1].upper() or "I")

    def _refuse(self, c: Container, why: tls.Refused) -> None:
        """Say why it does not start, and end."""
        told = [format_line(c.now, "CONTROL", 23285, "main", TLS_NOTE)] if why.lines else why.usage.split("\n")
        for level, component, number, message, detail in why.lines:
            told.append(format_line(c.now, component, number, "main", message, detail, level))
        c.log(*told)
        c.exit_in(int(c.between(20, 90, "refuse")), why.code)

    def _give_up(self, c: Container, server: Server) -> None:
        """It cannot open its lock file (`StorageEngineLockFile::open` of 4.4)."""
        why = f"IllegalOperation: Attempted to create a lock file on a read-only directory: {c.state['path']}"
        text = "DBException in initAndListen, terminating"
        c.log(format_line(c.now, "STORAGE", 20557, "initandlisten", text, {"error": why}, "E"))
        server.log("NETWORK", 20562, "initandlisten", "Shutdown: going to close listening sockets")
        server.log("CONTROL", 20565, "initandlisten", "Now exiting")
        server.log("CONTROL", 23138, "initandlisten", "Shutting down", {"exitCode": CANNOT_OPEN})
        c.exit_in(int(c.between(20, 90, "refuse")), CANNOT_OPEN)

    def _greet(self, c: Container, server: Server) -> None:
        server.log(
            "CONTROL",
            23285,
            "main",
            TLS_NOTE,
        )
        detail = {
            "pid": 1,
            "port": c.state["port"],
            "dbPath": c.state["path"],
            "architecture": "64-bit",
            "host": c.hostname,
        }
        server.log("STORAGE", 4615611, "initandlisten", "MongoDB starting", detail)
        build = {"version": server.version, "gitVersion": "72e66213c2c3eab37d9358d5e78ad7f5c1d0d0d7", "modules": []}
        server.log("CONTROL", 23403, "initandlisten", "Build Info", {"buildInfo": build})
        options = {"options": settings.describe_settings(c.state)}
        server.log("CONTROL", 21951, "initandlisten", "Options set by command line", options)
        config = f"create,cache_size={_cache(c)}M,session_max=33000,eviction=(threads_min=4,threads_max=4)"
        server.log("STORAGE", 22315, "initandlisten", "Opening WiredTiger", {"config": config})
        for number, text in WARNINGS[: 1 if c.state["auth"] else 2]:
            c.log(format_line(c.now, "CONTROL", number, "initandlisten", text, level="W"))


def _may_write(c: Container, server: Server) -> bool:
    """Whether the container's user may write the data: what root has started belongs to the image's own user.

    The entry point of the official image gives the folder to that user where it is root, and leaves it as it is where
    it is not. A new volume of a node is open to all; what was written into it is not.
    """
    of_pod = get(c.pod or {}, "spec", "securityContext", "runAsUser")
    user = get(c.spec(), "securityContext", "runAsUser", default=of_pod)
    return user in (None, 0, OWNER) or (server.data.empty and not server.data.disk.prefix.startswith("layer/"))


def _cache(c: Container) -> int:
    """MiB of the storage engine's cache: half of what memory there is beyond the first GiB, and no less than 256."""
    limit = quotas.find_quota(c.world, c.key).memory
    return max(LEAST_CACHE, int((limit / MIB if limit else NODE_MIB) - 1024) // 2)


def _full_argv(c: Container, auth: bool, configured: bool) -> list[str]:
    """As `ps` shows it: the image's entry point adds what it needs."""
    argv = list(c.argv)
    if c.process.get("wrapped"):
        argv += ["--auth"] if auth and "--auth" not in argv and not configured else []
        argv += [] if any(a.startswith("--bind_ip") for a in argv) else ["--bind_ip_all"]
    return argv


def _turned_away(ms: int, address: str, what: str) -> str:
    """A line about a client without TLS; connections that only requests make are numbered by their time."""
    number = ms // failure_lines.AGAIN % 1_000_000
    remote = f"{address}:{30_000 + number * 7_919 % 30_000}"
    if what == "refused":
        error = {"code": 141, "codeName": "SSLHandshakeFailed", "errmsg": tls.ONLY}
        detail = {"error": error, "remote": remote, "connectionId": number}
        return format_line(ms, "NETWORK", 22988, f"conn{number}", REFUSED, detail)
    count = {"remote": remote, "connectionId": number, "connectionCount": int(what == "accepted")}
    if what == "accepted":
        return format_line(ms, "NETWORK", 22943, "listener", "Connection accepted", count)
    return format_line(ms, "NETWORK", 22944, f"conn{number}", "Connection ended", count)


def _version(c: Container, argv: object, stdin: str) -> Output:
    version = str(c.params.get("version", "4.4.6"))
    return Output(f'db version v{version}\nBuild Info: {{\n    "version": "{version}"\n}}\n')


program = Mongod()
