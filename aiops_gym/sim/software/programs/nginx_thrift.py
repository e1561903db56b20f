"""nginx with Lua (OpenResty) whose scripts call Thrift services and stores: a web server in front of an application.

Params: `conf`, the path of its configuration; `upstreams`, ports by the names that the scripts call, to which they add
the variable `fqdn_suffix` of the environment, where the configuration hands it on; `name` in traces, unless the
tracer's file has one; `memory`, `cpu`; `handlers`, see `sim/traffic`, by `HTTP METHOD /path`, each with the `body` of
its answer and `needs`, the parameters that it does not do without.

Only paths with a `location` are served. A file that is missing or makes no sense, or a resolver that has no address,
ends it before it listens. Lines of failed calls go to the error log, which is the container's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from aiops_gym.sim.kernel import jsontext
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import moment
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program
from aiops_gym.sim.network.routes import ADDRESS, dns_works
from aiops_gym.sim.software import web_answers
from aiops_gym.sim.software.nginx import conf
from aiops_gym.sim.software.thrift import settings
from aiops_gym.sim.traffic.clients.client import parse_lines
from aiops_gym.sim.traffic.clients.cpp import RESOLVE
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World
    from aiops_gym.sim.machine.container import Container
    from aiops_gym.sim.traffic.walk import Trouble

CONF = "/usr/local/openresty/nginx/conf/nginx.conf"
SUFFIX = "fqdn_suffix"
VERSION = "openresty/1.15.8.1"
WORKER = 15
"""Process id of the worker that writes."""

ABOUT = ", client: "
"""Between a line of the error log and the request that it is about."""

FAILED = 1
STATUSES = {400: "Bad Request", 404: "Not Found", 500: "Internal Server Error"}


class NginxThrift(Program):
    """Reads its configuration, then listens."""

    term_ms = (20, 120)
    language = "lua"
    traced = "nginx"

    def start(self, c: Container) -> None:
        """Read the configuration a moment later."""
        c.after(int(c.between(60, 400, "first")), "open")

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """`open`: read the configuration and listen; `refuse`: end with a complaint."""
        if name == "refuse":
            self._refuse(c, str(arguments[0]))
            return
        path = str(c.params.get("conf", CONF))
        text = c.read(path)
        if text is None:
            self._refuse(c, f'open() "{path}" failed (2: No such file or directory)')
            return
        try:
            self._open(c, path, conf.read(text))
        except conf.ConfError as error:
            self._refuse(c, f"{error.problem} in {path}:{error.line}")

    def format(self, ms: int, level: str, source: str, message: str) -> str:
        """The error log; `source` is the place in a script, "" for what nginx says itself."""
        told = f"[lua] {source}: {message}" if source else message
        connection = 2 + (ms * 2_654_435_761 >> 16) % 2
        return f"{moment(ms):%Y/%m/%d %H:%M:%S} [{level}] {WORKER}#{WORKER}: *{connection} {told}"

    def about(self, process: Process, handler: str, address: str) -> str:
        """The request, which nginx adds to each line about it."""
        _, method, path = handler.split(" ", 2)
        (client,) = self.peers(process)
        request = f"{method} http://localhost:{process['ports'][0] if process['ports'] else 80}{path} HTTP/1.1"
        return f'{ABOUT}{client}, server: localhost, request: "{request}", host: "{address}"'

    def peers(self, process: Process) -> Sequence[str]:
        """The gateway of its node, from which requests from outside come."""
        return (".".join([*str(process["ip"]).split(".")[:3], "1"]),)

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """A few workers, each with an interpreter."""
        params = process["params"]
        memory = float(params.get("memory", 42 * MIB)) + min(rps, 2_000.0) * 14_000
        cpu = float(params.get("cpu", 0.001)) + cpu_seconds_per_s
        return {"cpu": cpu, "memory": memory, "threads": 9.0}

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """Status and body of a GET."""
        reply = self.answer(world, process, "GET", path)
        return (reply.status, reply.body) if reply is not None else (0, "")

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """What a request comes to, as requests go at present; a script takes whatever method."""
        where, _, query = path.partition("?")
        handlers: Mapping[str, Json] = process["params"].get("handlers") or {}
        name = next((each for each in handlers if each.rpartition(" ")[2] == where), "")
        served = configured(process).get("paths") or []
        if where not in served or not name:
            return _page(404) if where != "/" or "/" not in served else HttpAnswer(200, "<html></html>\n", HTML)
        needs, given = handlers[name].get("needs", ()), parse_qs(query)
        if (method == "GET" or query) and not all(given.get(each) for each in needs):
            return HttpAnswer(400, "Incomplete arguments\n", PLAIN, 0.0005)
        walk, number = web_answers.attempt(world, process, name) or web_answers.try_request(world, process, name)
        seconds = float(walk.end[0]) / 1000.0
        if walk.ok[0]:
            return HttpAnswer(200, str(handlers[name].get("body", "")), PLAIN, seconds)
        told = _told([trouble for trouble in walk.troubles if trouble.process == number])
        return HttpAnswer(500, f"{told}\n", PLAIN, seconds) if told else _page(500, seconds)

    def _open(self, c: Container, path: str, directives: list[conf.Directive]) -> None:
        for directive in directives:
            if directive.words[0] == "resolver" and not self._resolves(c, directive.words[1:]):
                host = directive.words[1] if len(directive.words) > 1 else ""
                problem = f'host not found in resolver "{host}" in {path}:{directive.line}'
                silent = not dns_works(c.world, c.process)
                c.after(int(RESOLVE) if silent else 0, "refuse", problem)
                return
        ports = [int(p) for p in map(_port, conf.find_values(directives, "listen")) if is_natural(p) and len(p) < 6]
        tracing = self._tracing(c, directives)
        if tracing is None:
            return
        handed = [words[0].partition("=")[0] for words in conf.find_values(directives, "env") if words]
        suffix = c.env.get(SUFFIX, "") if SUFFIX in handed else ""
        upstreams: Mapping[str, int] = c.params.get("upstreams") or {}
        paths = [words[-1] for words in conf.find_values(directives, "location") if words]
        addresses = {name: [name + suffix, port] for name, port in upstreams.items()}
        c.remember(configured={"addresses": addresses, "paths": sorted(set(paths)), **tracing})
        for port in ports or [80]:
            c.listen(port)

    def _resolves(self, c: Container, words: list[str]) -> bool:
        hosts = [word for word in words if "=" not in word]
        return all(
            ADDRESS.fullmatch(host.partition(":")[0])
            or c.dial(host.partition(":")[0], 53).outcome not in ("no_host", "no_answer")
            for host in hosts
        )

    def _tracing(self, c: Container, directives: list[conf.Directive]) -> dict[str, Json] | None:
        """What the tracer's own file says; None, and an end, where it cannot be read."""
        name = str(c.params.get("name", ""))
        for words in conf.find_values(directives, "opentracing_load_tracer"):
            path = words[-1]
            try:
                found = jsontext.load(c.files()[path])
            except KeyError:
                self._refuse(c, f"failed to open tracing configuration file {path}: No such file or directory")
                return None
            except ValueError as error:
                self._refuse(c, f"failed to construct tracer: configuration is not valid JSON: {error}")
                return None
            config = found if isinstance(found, Mapping) else {}
            agent, sample = settings.read_sampler(config)
            return {"tracer": agent, "sample": sample, "name": str(config.get("service_name") or name)}
        return {"tracer": "", "sample": 0.0, "name": name}

    def _refuse(self, c: Container, problem: str) -> None:
        """Say why it does not start: in its log, which is the same place, and to whoever started it."""
        c.log(f"{moment(c.now):%Y/%m/%d %H:%M:%S} [emerg] 1#1: {problem}", f"nginx: [emerg] {problem}")
        c.exit_in(5, FAILED)


HTML = {"Server": VERSION, "Content-Type": "text/html"}
PLAIN = {"Server": VERSION, "Content-Type": "application/octet-stream"}


def _port(words: list[str]) -> str:
    return words[0].rpartition(":")[2] if words else ""


def _page(status: int, seconds: float = 0.0004) -> HttpAnswer:
    """A page of nginx's own."""
    title = f"{status} {STATUSES[status]}"
    body = f"<body>\r\n<center><h1>{title}</h1></center>\r\n<hr><center>{VERSION}</center>\r\n</body>"
    return HttpAnswer(status, f"<html>\r\n<head><title>{title}</title></head>\r\n{body}\r\n</html>\r\n", HTML, seconds)


def _told(troubles: Sequence[Trouble]) -> str:
    """What a script answers when its last call has failed; "" when it has been aborted."""
    for trouble in troubles[-1:]:
        said = parse_lines(trouble.call["log"])
        if said and trouble.reached[0]:
            return said[0][1].partition(ABOUT)[0].replace("{error}", trouble.errors[0])
    return ""


program = NginxThrift()
