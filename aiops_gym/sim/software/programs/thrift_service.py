"""A C++ microservice that speaks Thrift: reads its configuration files, makes sure of its database's index, serves.

Params: `name` (of the service: in traces, and its own key in `service-config.json`); `config`, the folder with that
file and `jaeger-config.yml`; `startup`, a list of steps done in order:
`{"log": [source, message]}` (or with a level),
`{"machine": [source, source]}`, the number of the machine, told in two lines,
`{"mongo": {"to", "database", "collection", "index", "unique", "retry"}}`, tried each second until it succeeds,
`{"listen": [source, message]}`, which opens its port; `memory`, `cpu`; `handlers`, see `sim/traffic`, by
`/Service/Method`. Whom a step or call goes `to` is a key of `service-config.json`.

A file that is missing or says nonsense ends it as it ends the real ones. The files are read once: what changes in them
later counts when it is started again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import moment
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program
from aiops_gym.sim.software.mongo import client, commands
from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.sim.software.thrift import settings
from aiops_gym.sim.traffic import clients
from aiops_gym.sim.traffic.clients.client import Failed
from aiops_gym.sim.traffic.clients.cpp import RESOLVE, SELECTION
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World
    from aiops_gym.sim.machine.container import Container
    from aiops_gym.sim.network.routes import Target

AGAIN = 1_000
"""Milliseconds of rest after an attempt that failed."""

ABORTED = 134
"""Exit code of a process that has sent itself SIGABRT."""


class ThriftService(Program):
    """Works through its start-up steps."""

    language = "cpp"
    protocol = "thrift"
    traced = "plain"

    def start(self, c: Container) -> None:
        """Read the configuration a moment later."""
        c.after(int(c.between(4, 30, "first")), "configure")

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """`configure`: read the files; `trace`: connect to the tracer; `step n`, `index n`: the n-th step."""
        if name == "configure":
            self._configure(c)
        elif name == "trace":
            self._trace(c, bool(arguments))
        else:
            self._step(c, int(arguments[0]), tried=name == "index")

    def terminate(self, c: Container) -> None:
        """SIGTERM: it handles only SIGINT, and the first process of a container takes no notice of any other."""

    def format(self, ms: int, level: str, source: str, message: str) -> str:
        """Boost.Log's format, and that of Thrift's own output."""
        when = moment(ms)
        if level == "thrift":
            return f"Thrift: {when:%a %b} {when.day:>2} {when:%H:%M:%S %Y} {message}"
        micros = ms % 1_000 * 1_000 + ms * 2_654_435_761 % 1_000
        return f"[{when:%Y-%b-%d %H:%M:%S}.{micros:06d}] <{level}>: ({source}) {message}"

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """A thread for each connection."""
        params = process["params"]
        memory = float(params.get("memory", 7 * MIB)) + min(rps, 1_000.0) * 9_000
        cpu = float(params.get("cpu", 0.0008)) + cpu_seconds_per_s
        return {"cpu": cpu, "memory": memory, "threads": 4.0 + min(60.0, rps)}

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """It speaks no HTTP."""
        return None

    def talk(self, world: World, process: Process, text: str) -> str:
        """Text is no frame: it hangs up."""
        return ""

    def _configure(self, c: Container) -> None:
        folder, files = str(c.params["config"]).rstrip("/"), c.files()
        try:
            found = settings.read_tracing(files.get(f"{folder}/{settings.TRACING}"))
            c.remember(configured={"tracer": found.agent, "sample": found.sample})
        except settings.Aborted as error:
            self._abort(c, error)
            return
        self._trace(c)

    def _trace(self, c: Container, asked: bool = False) -> None:
        """UDP: nobody has to listen, but the name has to stand for something; `asked` when that took its time."""
        host, _, port = str(configured(c.process)["tracer"]).rpartition(":")
        outcome = c.dial(host, int(port) if is_natural(port) else 6831).outcome if host else "ok"
        if outcome == "no_answer" and not asked:
            c.after(int(RESOLVE), "trace", True)
            return
        if outcome in ("no_host", "no_answer"):
            self._say(c, "tracing.h:87:SetUpTracer", "Failed to connect to jaeger, retrying ...", "error")
            c.after(AGAIN, "trace")
            return
        try:
            self._read_services(c)
        except settings.Aborted as error:
            self._abort(c, error)

    def _read_services(self, c: Container) -> None:
        text = c.read(f"{str(c.params['config']).rstrip('/')}/{settings.SERVICES}")
        if text is None:
            self._say(c, "utils.h:27:load_config_file", f"Cannot open {settings.SERVICES}", "error")
            c.exit_in(2, 1)
            return
        config, name = settings.Services(text), str(c.params["name"])
        port = config.number(name, "port")
        callees = settings.list_callees(c.params)
        addresses = {each: config.address(each) for each in callees}
        pools = {each: [config.number(each, "connections"), config.number(each, "timeout_ms")] for each in callees}
        starved = {each: wait for each, (size, wait) in pools.items() if size < 1}
        secure = config.flag("ssl", "enabled")
        if secure:
            self._load_certificates(c, config)
        found = {"addresses": addresses, "tls": secure, **({"starved": starved} if starved else {})}
        c.remember(configured={**configured(c.process), **found}, port=port)
        self._next(c, -1)

    def _load_certificates(self, c: Container, config: settings.Services) -> None:
        files = c.files()
        for key in ("serverCertPath", "serverKeyPath", "caPath"):
            path = config.text("ssl", key)
            if path not in files:
                what = f"SSL_CTX_use_certificate_chain_file: No such file or directory: {path}"
                raise settings.Aborted("apache::thrift::transport::TSSLException", what)

    def _step(self, c: Container, number: int, tried: bool) -> None:
        steps = c.params.get("startup", ())
        if number >= len(steps):
            return
        ((kind, value),) = steps[number].items()
        if kind == "mongo":
            self._index(c, number, value, tried)
            return
        if kind == "log":
            self._say(c, *value)
        elif kind == "machine":
            self._machine(c, *value)
        elif kind == "listen":
            self._say(c, *value)
            c.listen(int(c.state["port"]))
        self._next(c, number)

    def _next(self, c: Container, number: int) -> None:
        c.after(int(c.between(1, 9, "step", number)), "step", number + 1)

    def _machine(self, c: Container, mac_source: str, source: str) -> None:
        digits = draws.hexes(12, c.world.seed, "mac", str(c.process["uid"]))
        first = f"{(int(digits[:2], 16) | 2) & 254:02x}"
        mac = ":".join([first, *(digits[i : i + 2] for i in range(2, 12, 2))])
        self._say(c, mac_source, f"MAC address = {mac}")
        self._say(c, source, f"machine_id = {digits[-3:]}")

    def _index(self, c: Container, number: int, mongo: Mapping[str, Json], tried: bool) -> None:
        """Ask for an index; what libmongoc has looked for in vain, it has looked for some time."""
        host, port = configured(c.process)["addresses"][mongo["to"]]
        outcome, target = client.knock(c, host, port, SELECTION, bool(configured(c.process)["tls"]))
        if target is None and not tried:
            c.after(int(RESOLVE) if outcome == "no_answer" else SELECTION, "index", number)
            return
        failed = Failed(outcome, host, port)
        error = (
            self._create(c, target, mongo) if target else clients.find(self.language, "mongo").unreachable(failed)[0]
        )
        if error:
            self._say(c, "utils_mongodb.h:76:CreateIndex", f"Error in createIndexes: {error}", "error")
            self._say(c, mongo["retry"], "Failed to create mongodb index, try again", "error")
            c.after(AGAIN, "step", number)
        else:
            self._next(c, number)

    def _create(self, c: Container, target: Target, mongo: Mapping[str, Json]) -> str:
        """Create the index, unless it is there; the server's words when it refuses."""
        database, key = mongo["database"], mongo["index"]
        collection = mongo.get("collection", database)
        spec = {"key": {key: 1}, "name": f"{key}_1", "unique": bool(mongo.get("unique", True))}
        command = {"createIndexes": collection, "indexes": [spec], "$db": database}
        server = c.world.table("processes")[target.process]["id"]
        kept = c.state.get("connected") == server  # the one connection that it has, as long as the server lives
        c.remember(connected=server)
        try:
            commands.run(client.connect(c, target, None, quiet=kept), database, command)
        except MongoError as error:
            return error.message
        return ""

    def _say(self, c: Container, source: str, message: str, level: str = "info") -> None:
        c.log(self.format(c.now, level, source, message))

    def _abort(self, c: Container, error: settings.Aborted) -> None:
        c.log(*error.lines)
        c.exit_in(2, ABORTED)


program = ThriftService()
