"""A service of any language that is configured by its environment, traced by OpenTelemetry and told flags by flagd.

Params: `language` (see `sim/traffic/clients`); `format` of its log (see `sim/telemetry`); `protocol`, `http` or `grpc`;
`environment`, the variable that has the address of each of those whom its calls go `to`, or `hosts`, those with its
host and its port; `ports`, usual ports of those without one in their address; `listens`, the variable with its own
port, or a number; `unset`, [line, exit code] where a variable is not set, [] where it starts nevertheless; `startup`, a
list of steps done in order: `{"log": [source, message]}`, `{"wait": ms}`, `{"ask": to, "log": [...], "code": n}` (which
ends it where nobody answers there or lets it in), `{"listen": true}`;
`handlers`, see `sim/traffic` and `sim/traffic/flags`; those of `software/service_answers` for who speaks HTTP;
`memory`, `cpu`, `threads`.

What flags do beside that: `turned` ({flag: [lines when on, lines when off]}), `burns` ({flag: cores}), `leaks`
({"flag", "bytes"}: bytes a second for each unit), `floods` ({"flag", "operation", "rate"}: requests a second for each
unit), `unready` ({flag}: fails health checks). With `consumes` it reads a broker's messages, see `software/consumer`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, HttpAnswer, program_of
from aiops_gym.sim.software import environment, service_answers
from aiops_gym.sim.software.consumer import AGAIN, LATEST, Consumer
from aiops_gym.sim.software.programs.postgres import Postgres
from aiops_gym.sim.traffic import load
from aiops_gym.sim.traffic.clients.client import parse_lines
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.sim.traffic.flags import Flags, told_flags
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

FLAGS, COLLECTOR, NAME = ("FLAGD_HOST", "FLAGD_PORT"), "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME"
"""Variables that OpenFeature's and OpenTelemetry's libraries read."""


class Service(Consumer):
    """Reads its environment, works through its start-up steps, and keeps to what flags say."""

    traced = "otel"
    term_ms = (20, 400)

    def start(self, c: Container) -> None:
        """Read the environment."""
        told: dict[str, Json] = {"name": c.env.get(NAME, str(c.params.get("name", ""))), "sample": 1.0, "flags": {}}
        collector = environment.read_address(c.env.get(COLLECTOR, c.params.get("collector", "")), 4317)
        told["tracer"] = f"{collector.host}:{collector.port}" if collector.host else ""
        addresses, logins = dict[str, Json](), dict[str, Json]()
        unset = c.params.get("unset", ["environment variable {name} not set", 1])
        for name, variable in (c.params.get("environment") or {}).items():
            if not c.env.get(variable) and unset:
                text, code = unset
                self.say(c, [["", text.replace("{name}", variable), "error"]])
                c.exit_in(3, int(code))
                return
            found = environment.read_address(c.env.get(variable, ""), int((c.params.get("ports") or {}).get(name, 0)))
            addresses[name] = [found.host, found.port]
            if found.user:
                logins[name] = {"user": found.user, "password": found.password}
        for name, (host, port) in (c.params.get("hosts") or {}).items():
            given = c.env.get(port, "")
            addresses[name] = [c.env.get(host, ""), int(given) if is_natural(given) else 0]
        c.remember(configured={**told, "addresses": addresses, **({"logins": logins} if logins else {})})
        load.flood(c.world, _seat(c), "", 0.0)
        c.after(int(c.between(0.8, 1.5, "boot") * float(c.params.get("boot", 300))), "step", 0)

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """`step n`: the n-th step; `flags n`, `consume n`, `join n`: connect to who tells flags, to the broker, to
        databases once more; `seated server text`: a database has a connection for it, or says why not; those of
        `software/consumer`."""
        getattr(self, f"_{name}")(c, *arguments)

    def hung_up(self, c: Container, peer: str) -> None:
        """Whoever it was connected to has gone: flags are off until it is told again."""
        c.remember(peers=[each for each in c.state.get("peers", ()) if each != peer])
        if peer == c.state.get("flagd"):
            self._told(c, {})
            c.after(AGAIN, "flags", 0)
        elif peer == c.state.get("broker"):
            self.lose_broker(c)
        else:
            known = c.state.get("databases") or {}
            c.remember(databases={to: key for to, key in known.items() if key != peer})
            c.after(AGAIN, "join", 0)

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """What it needs by itself and for its requests, and what flags make it burn."""
        params, burnt = process["params"], 0.0
        if "burns" in params:
            flags = told_flags(process)
            burnt = sum(float(cores) for flag, cores in params["burns"].items() if flags.number(flag))
        memory = float(params.get("memory", 30 * MIB)) + min(rps, 300.0) * float(params.get("each", 2_000))
        cpu = float(params.get("cpu", 0.002)) + cpu_seconds_per_s + burnt
        return {"cpu": cpu, "memory": memory, "threads": float(params.get("threads", 12)) + burnt}

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """Status and body of a GET."""
        reply = self.answer(world, process, "GET", path)
        return (reply.status, reply.body) if reply is not None else (0, "")

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """What a request comes to, as requests go at present; a gRPC service does not understand."""
        http = process["params"].get("protocol") == "http"
        return service_answers.answer(world, process, method, path) if http else None

    def _step(self, c: Container, number: int) -> None:
        steps: Sequence[Mapping[str, Json]] = c.params.get("startup") or ({"listen": True},)
        if number >= len(steps):
            if c.env.get(FLAGS[0]):
                self._flags(c, 0)
            if c.params.get("consumes"):
                self._consume(c, 0)
            if "logins" in configured(c.process):
                self._join(c, 0)
            return
        step = steps[number]
        if "ask" in step and (error := self._refused(c, str(step["ask"]))):
            self.say(c, [[*line[:1], line[1].replace("{error}", error), line[2]] for line in parse_lines(step["log"])])
            c.exit_in(3, int(step.get("code", 1)))
            return
        if "ask" not in step:
            self.say(c, parse_lines(step.get("log")))
        if "listen" in step:
            given = str(c.env.get(str(c.params.get("listens", "")), c.params.get("listens", "")))
            if is_natural(given):
                c.listen(int(given))
        c.after(int(step.get("wait", 0)) + int(c.between(1, 9, "step", number)), "step", number + 1)

    def _refused(self, c: Container, to: str) -> str:
        """Why a server that it needs at its start cannot be had, "" if it can."""
        told = configured(c.process)
        host, port = told["addresses"][to]
        route = c.dial(str(host), int(port))
        if route.outcome != "ok":
            reasons = {"no_host": f"lookup {host}: no such host", "timeout": f"dial tcp {host}:{port}: i/o timeout"}
            return reasons.get(route.outcome, f"dial tcp {route.address or host}:{port}: connect: connection refused")
        server, login = route.targets[0].process, told.get("logins", {}).get(to)
        program = program_of(c.world, c.world.table("processes")[server])
        refused = program.refuses(c.world, server, {"kind": program.protocol}, login)
        return refused or str(configured(c.world.table("processes")[server]).get("full", ""))

    def _flags(self, c: Container, tried: int) -> None:
        """Ask for the flags; who tells them tells changes, too."""
        port = c.env.get(FLAGS[1], "8013")
        route = c.dial(str(c.env[FLAGS[0]]), int(port) if is_natural(port) else 0)
        for key in [target.process for target in route.targets] if route.outcome == "ok" else []:
            row = c.world.table("processes")[key]
            if (values := configured(row).get("offers")) is not None:
                c.remember(flagd=key, peers=[*(p for p in c.state.get("peers", ()) if p != key), key])
                self._told(c, values)
                return
        c.after(min(LATEST, AGAIN << min(tried, 8)), "flags", tried + 1)

    def _told(self, c: Container, values: Mapping[str, Json]) -> None:
        """Flags are other ones now."""
        before, now, params = told_flags(c.process), Flags(values), c.params
        if dict(before.values) == dict(values):
            return
        leak, told = params.get("leaks"), {}
        if leak:
            rate = now.number(leak["flag"]) * float(leak["bytes"])
            kept = configured(c.process).get("leak")
            told["leak"] = {"rate": rate, "since": c.now} if rate else kept and {"until": c.now, **kept}
        unready = any(now.number(flag) for flag in params.get("unready", ()))
        self.configure(c, flags=dict(values), unready=unready or None, **told)
        self.change_pace(c)
        for flag, (on, off) in (params.get("turned") or {}).items():
            if bool(before.number(flag)) is not bool(now.number(flag)):
                self.say(c, parse_lines(on if now.number(flag) else off))
        if flood := params.get("floods"):
            load.flood(c.world, _seat(c), flood["operation"], now.number(flood["flag"]) * float(flood["rate"]))
        c.world.touch()

    def _join(self, c: Container, tried: int) -> None:
        """Connect to each database that it has a login for, and is not connected to."""
        told, known = configured(c.process), c.state.get("databases") or {}
        for to in told["logins"]:
            host, port = told["addresses"][to]
            route = c.dial(str(host), int(port)) if to not in known else None
            for key in [target.process for target in route.targets] if route and route.outcome == "ok" else ():
                database = program_of(c.world, c.world.table("processes")[key])
                if isinstance(database, Postgres):
                    known = {**known, to: key}
                    c.remember(databases=known, peers=[*c.state.get("peers", ()), key])
                    database.seat(Container(c.world, key), c.key)
                    break
        if len(known) < len(told["logins"]):
            c.after(min(LATEST, AGAIN << min(tried, 8)), "join", tried + 1)

    def _seated(self, c: Container, server: str, text: str) -> None:
        """A database has a connection for it, or says why not."""
        name = next((to for to, key in (c.state.get("databases") or {}).items() if key == server), "")
        before = configured(c.process).get("unseated") or {}
        now = {**{to: why for to, why in before.items() if to != name}, **({name: text} if text else {})}
        if now != before:
            self.configure(c, unseated=now or None)
            c.world.touch()


def _seat(c: Container) -> str:
    """Whose requests those are that the program makes by itself."""
    return f"{str(c.process['pod']).partition('/')[0]}/{c.process['container']}"


program = Service()
