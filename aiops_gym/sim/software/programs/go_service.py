"""A Go microservice that speaks gRPC or HTTP: reads its compiled-in settings, dials its database, registers, serves.

Params: `name`; `service` (its name in the registry, or None); `port`; `settings` (`file`, JSON in which it finds
addresses, and their `values` by key in the file of the image, which the other params have too); `flags` (argument ->
the address compiled in that it takes the place of); `startup`, a list of steps done in order:
`{"log": [source, message]}`,
`{"mongo": {"address", "database", "credentials", "collection", "documents", "source"}}`,
`{"memcached": address}`, `{"tracer": address}`, `{"listen": port}`, `{"registry": address}`; `memory`, `cpu`;
`handlers`, see `sim/traffic`; `web`, see `sim/software/web_answers`. What the documents of `mongo` look like is told in
`sim/software/mongo/templates`, and `more` are further collections.

What cannot be had at the start ends it as it ends the real ones: a database that does not answer for 10 seconds or
refuses the password is a panic (exit 2), a refused query or registration is fatal (exit 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws, jsontext
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.machine.program import HttpAnswer, Program, program_of
from aiops_gym.sim.software import goflags, web_answers
from aiops_gym.sim.software.mongo import client
from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.sim.software.retrying import read_connect, read_retry
from aiops_gym.sim.telemetry import exposition
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World
    from aiops_gym.sim.machine.container import Container

COUNTED = "OTEL_EXPORTER_PROMETHEUS_PORT"
"""Variable with the port at which the program tells Prometheus of its calls; without it, it does not count them."""

DIAL_TIMEOUT = 10_000
"""mgo's Dial gives up after so many milliseconds."""

CONNECT_TIMEOUT = 30_000
"""Milliseconds for which the registry's HTTP client tries to connect, names included."""

RETRY = 500
"""Milliseconds to the next attempt of a dial, at first; then it waits half as long as it has tried."""

PREAMBLE = ("TLS disabled.", "Set global log level: info", "Tune: setGCPercent to 100")
LEVELS = {
    "info": "INF",
    "warn": "WRN",
    "warning": "WRN",
    "error": "ERR",
    "fatal": "FTL",
    "panic": "PNC",
    "debug": "DBG",
}


class GoService(Program):
    """Works through its start-up steps."""

    term_code = 2  # Go's runtime ends the first process of a container so when nothing handles SIGTERM
    term_ms = (5, 60)

    def start(self, c: Container) -> None:
        """Arguments, then the lines that come before the logger is set up."""
        trouble = _read_settings(c)
        try:
            _read_flags(c)
        except goflags.FlagError as error:
            c.log(*error.lines)
            c.exit_in(int(c.between(3, 25, "first")), error.code)
            return
        patience = {"retry": read_retry(c.env), "connect": read_connect(c.env)}
        if told := {key: value for key, value in patience.items() if value}:
            c.remember(configured=told)
        if is_natural(c.env.get(COUNTED, "")):
            c.change(params={**c.params, "metrics": "grpc"})
            c.listen(int(c.env[COUNTED]))
        stamp = iso(c.now)
        c.log(*(f'{{"level":"info","time":"{stamp}","message":"{message}"}}' for message in PREAMBLE))
        if trouble:
            c.log(self.format(c.now, "error", f"{_main(c)}:34", trouble))
        c.after(int(c.between(3, 25, "first")), "step", 0)

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """Go on with step n: `step`, `seed` (test data), `dial` (once more, until a deadline), `gave_up` (waiting)."""
        number = int(arguments[0])
        steps = c.params.get("startup", ())
        if number >= len(steps):
            return
        ((kind, value),) = steps[number].items()
        if name == "seed":
            self._seed(c, number, value)
        elif kind == "mongo":
            self._dial(c, number, value, int(arguments[1]) if name == "dial" else c.now + DIAL_TIMEOUT)
        elif self._registry(c, value, waited=True) if name == "gave_up" else getattr(self, f"_{kind}")(c, value):
            self._next(c, number)

    def format(self, ms: int, level: str, source: str, message: str) -> str:
        """zerolog's console format."""
        return f"{iso(ms)} {LEVELS.get(level.lower(), level)} {source} > {message}"

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """Status and body of its answer; 0 where it does not understand."""
        reply = self.answer(world, process, "GET", path)
        return (reply.status, reply.body) if reply is not None else (0, "")

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """A web service answers as its operations go at present; a gRPC service does not understand."""
        if path.partition("?")[0] == "/metrics" and process["params"].get("metrics"):
            return HttpAnswer(200, exposition.write_process(world, process))
        return web_answers.answer(world, process, path) if process["params"].get("protocol") == "http" else None

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """The Go heap breathes between two collections, and grows a little with the load."""
        return super().usage(process, rps, cpu_seconds_per_s) | {"threads": 9.0 + min(8.0, rps / 50.0)}

    def _next(self, c: Container, number: int) -> None:
        c.after(int(c.between(1, 12, "step", number)), "step", number + 1)

    def _log(self, c: Container, value: Json) -> bool:
        c.log(self.format(c.now, "info", value[0], value[1]))
        return True

    def _memcached(self, c: Container, address: str) -> bool:
        return True  # the client connects with the first request

    def _tracer(self, c: Container, address: str) -> bool:
        host, port = _split(address, 6831)
        outcome = c.dial(host, port).outcome
        if outcome not in ("no_host", "no_answer"):  # UDP: nobody has to listen
            return True
        why = "no such host" if outcome == "no_host" else "i/o timeout"
        message = f"Got error while initializing jaeger agent: lookup {host}: {why}"
        self._panic(c, _main(c), 72, message)
        return False

    def _listen(self, c: Container, port: int) -> bool:
        c.listen(int(port))
        return True

    def _registry(self, c: Container, address: str, waited: bool = False) -> bool:
        """Register at the registry; without one it cannot be found and gives up, at once or when it has `waited`."""
        name, port, ip = c.params.get("service"), int(c.params["port"]), c.process["ip"]
        if not name:
            return True
        identity = draws.uuid(c.world.seed, "registration", str(c.process["id"]))
        if not waited:
            line = f"Trying to register service [ name: {name}, id: {identity}, address: {ip}:{port} ]"
            c.log(self.format(c.now, "info", "registry/registry.go:95", line))
        host, consul_port = _split(address, 8500)
        route = c.dial(host, consul_port)
        url = f'Put "http://{host}:{consul_port}/v1/agent/service/register"'
        if route.outcome != "ok" or route.targets[0].loss > 0.5:
            outcome = "timeout" if route.outcome == "ok" else route.outcome
            if outcome in ("timeout", "no_answer") and not waited:
                number = next(i for i, step in enumerate(c.params["startup"]) if "registry" in step)
                c.after(CONNECT_TIMEOUT, "gave_up", number)
                return False
            why = _go_error(host, consul_port, outcome, route.address)
            self._fatal(c, _main(c), 93, f"failed register: {url}: {why}")
            return False
        registry = c.world.table("processes")[route.targets[0].process]
        if not program_of(c.world, registry).registry:
            self._fatal(c, _main(c), 93, f"failed register: {url}: EOF")
            return False
        registration = {"id": identity, "name": name, "address": ip, "port": port}
        registered = {**registry["state"].get("services", {}), identity: registration}
        row: Process = {**registry, "state": {**registry["state"], "services": registered}}
        c.world.table("processes")[route.targets[0].process] = row
        c.remember(registered=identity)
        c.log(self.format(c.now, "info", "registry/registry.go:108", "Successfully registered in consul"))
        c.world.touch()
        return True

    def _dial(self, c: Container, number: int, mongo: Mapping[str, Json], deadline: int) -> None:
        """mgo's Dial: try until somebody answers, then authenticate."""
        host, port = _split(mongo["address"], 27017)
        source = mongo.get("source", f"cmd/{c.params['name']}/db.go")
        server = client.reach(c, host, port, DIAL_TIMEOUT)
        if server is None:
            if c.now >= deadline:
                self._panic(c, source, 29, "no reachable servers", "initializeDatabase")
            else:
                tried = DIAL_TIMEOUT - (deadline - c.now)
                wait = max(RETRY, tried // 2) + int(c.between(0, 60, "dial", c.now))
                c.after(min(wait, max(deadline - c.now, 1)), "dial", number, deadline)
            return
        try:
            client.connect(c, server, mongo.get("credentials"))
        except MongoError as error:
            line = f"server returned error on SASL authentication step: {error.message}"
            self._panic(c, source, 29, line, "initializeDatabase")
            return
        c.log(self.format(c.now, "info", source + ":33", "New session successfull..."))
        c.log(self.format(c.now, "info", source + ":35", "Generating test data..."))
        c.after(int(c.between(5, 40, "seed", number) + server.delay_ms), "seed", number)

    def _seed(self, c: Container, number: int, mongo: Mapping[str, Json]) -> None:
        """Make sure of the test data, as the real services do at each start."""
        host, port = _split(mongo["address"], 27017)
        source = mongo.get("source", f"cmd/{c.params['name']}/db.go")
        server = client.reach(c, host, port, DIAL_TIMEOUT)
        try:
            if server is None:
                raise MongoError(6, "EOF")
            session = client.connect(c, server, mongo.get("credentials"), quiet=True)
            for part in (mongo, *mongo.get("more", ())):
                client.seed(session, {"database": mongo["database"], **part})
        except MongoError as error:
            self._fatal(c, source, 42, error.message)
            return
        c.log(self.format(c.now, "info", f"cmd/{c.params['name']}/main.go:50", "Successfull"))
        self._next(c, number)

    def _fatal(self, c: Container, source: str, line: int, message: str) -> None:
        c.log(self.format(c.now, "fatal", f"{source}:{line}", message))
        c.exit_in(2, 1)

    def _panic(self, c: Container, source: str, line: int, message: str, function: str = "") -> None:
        c.log(self.format(c.now, "panic", f"{source}:{line}", message))
        c.log(*_goroutine(c, source, line, message, function))
        c.exit_in(2, 2)


def _read_settings(c: Container) -> str:
    """Read the file with addresses; what it does not say is nothing. The complaint when it cannot be opened, or ""."""
    settings = c.params.get("settings") or {}
    if not settings:
        return ""
    file = str(settings["file"])
    text = c.read(file)
    found, params = _json(text or ""), c.params
    for key, usual in settings["values"].items():
        given = str(found.get(key, ""))
        if given != usual:
            flags = {flag: given if value == usual else value for flag, value in (params.get("flags") or {}).items()}
            params = {**_exchanged(params, usual, given), "flags": flags}
    if params is not c.params:
        c.world.table("processes")[c.key] = {**c.process, "params": params}
    name = file.rpartition("/")[2]
    return "" if text is not None else f"Got error while reading config: open {name}: no such file or directory"


def _json(text: str) -> Mapping[str, Json]:
    """An object in JSON; empty for whatever is none."""
    try:
        found = jsontext.load(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _read_flags(c: Container) -> None:
    """`-consuladdr HOST:PORT` takes the place of the address that its settings have. Raises FlagError."""
    usual = {flag.lstrip("-"): str(value) for flag, value in (c.params.get("flags") or {}).items()}
    if not usual:
        return
    if tracer := c.params.get("tracer"):
        usual["jaegeraddr"] = str(tracer)
    known = {name: goflags.Flag(ABOUT.get(name, name), value) for name, value in usual.items()}
    params = c.params
    for name, value in goflags.parse(c.argv, known).items():
        params = _exchanged(params, usual[name], value) if value != usual[name] else params
    if params is not c.params:
        c.world.table("processes")[c.key] = {**c.process, "params": params}


ABOUT = {"consuladdr": "Consul address", "jaegeraddr": "Jaeger address"}


def _exchanged(value: Json, old: str, new: str) -> Json:
    """A copy of settings in which one text has become another."""
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict) and old and old == f"{value.get('host')}:{value.get('port')}":
        host, port = _split(new, 0)
        return {**value, "host": host, "port": port}
    if isinstance(value, dict):
        return {key: inner if key == "flags" else _exchanged(inner, old, new) for key, inner in value.items()}
    return [_exchanged(inner, old, new) for inner in value] if isinstance(value, list | tuple) else value


def _goroutine(c: Container, source: str, line: int, message: str, function: str) -> list[str]:
    """What the Go runtime writes when nobody recovers a panic."""
    address = f"{int(draws.hexes(6, c.world.seed, 'stack', str(c.process['id'])), 16) | 0xC000000000:x}"
    library = "/go/pkg/mod/github.com/rs/zerolog@v1.31.0"
    called = [f"main.{function}({{0x{address}, 0x12}})", f"\t/workspace/{source}:{line} +0x1c5"] if function else []
    return [
        f"panic: {message}",
        "",
        "goroutine 1 [running]:",
        f"github.com/rs/zerolog.(*Logger).Panic.func1({{0x{address}, 0x{len(message):x}}})",
        f"\t{library}/log.go:405 +0x27",
        f"github.com/rs/zerolog.(*Event).msg(0x{address}, {{0x{address}, 0x{len(message):x}}})",
        f"\t{library}/event.go:158 +0x2a5",
        "github.com/rs/zerolog.(*Event).Msg(...)",
        f"\t{library}/event.go:110",
        *called,
        "main.main()",
        f"\t/workspace/{_main(c)}:48 +0x4e5",
    ]


def _main(c: Container) -> str:
    return f"cmd/{c.params['name']}/main.go"


def _split(address: str, default: int) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return (host, int(port)) if host and is_natural(port) else (address, default)


def _go_error(host: str, port: int, outcome: str, address: str) -> str:
    if outcome == "no_host":
        return f"dial tcp: lookup {host} on 10.96.0.10:53: no such host"
    if outcome == "no_answer":
        return f"dial tcp: lookup {host}: i/o timeout"
    if outcome == "timeout":
        return f"dial tcp {address}:{port}: i/o timeout"
    return f"dial tcp {address}:{port}: connect: connection refused"


program = GoService()
