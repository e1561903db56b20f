"""What the catalogue's checks ask of a system, answered by a real cluster: by its objects, and by trying.

Questions about objects are answered on a picture, by the code that answers them of a simulated world. Whether something
listens is tried through the API server, what a program says is asked by a command in its pod, and how much it uses is
Prometheus' to say. What nobody can see from outside a program is refused with a `BackendError`, at the beginning of an
episode and not at its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from aiops_gym.backends.causes import INFINITE, SimulatedSystem
from aiops_gym.backends.kubernetes.api import Api
from aiops_gym.backends.kubernetes.telemetry import RealTelemetry
from aiops_gym.catalog.model import App
from aiops_gym.catalog.system import Amounts, Object, Reached, Upstream
from aiops_gym.errors import BackendError
from aiops_gym.sim.kernel.objects import Obj, get, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.quantity import parse
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.kubelet import probes
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.sim.network.firewall import Firewall
from aiops_gym.types import Json, Output, Request

REFUSED = ("connection refused", "i/o timeout", "no route to host")
"""What an API server says of an address at which nothing answers."""


class RealSystem(SimulatedSystem):
    """See `catalog.system.System`.

    Args:
        world: a picture of the cluster.
        app: whose components are meant.
        api: of the cluster.
        telemetry: of it.
        past: whether the picture is an old one: then nothing can be tried, and what is asked was right.
    """

    def __init__(self, world: World, app: App, api: Api, telemetry: RealTelemetry, *, past: bool = False) -> None:
        super().__init__(world, app)
        self.api, self.telemetry, self.past = api, telemetry, past

    def _try(self, pod: Json) -> tuple[Obj | None, str]:
        if self.past:
            return Obj(pod), ""
        answer = self.api.send(Request("create", "pods", self.app.namespace, body=pod, query={"dryRun": "All"}))
        return (Obj(answer.body), "") if answer.code < 400 else (None, str(answer.body["message"]))

    def failing_probe(self, component: str) -> str:
        """The field of a probe that fails if it is tried now."""
        for pod in self.pods(component) if not self.past else ():
            for container in pod["spec"]["containers"]:
                for field in probes.KINDS.values():
                    if (asked := container.get(field)) and self._fails(pod, container, asked):
                        return field
        return ""

    def _fails(self, pod: Obj, container: Object, probe: Object) -> bool:
        if command := get(probe, "exec", "command"):
            return self.output(pod, command) is None
        how = probe.get("httpGet") or probe.get("tcpSocket")
        if how is None:  # gRPC: what the kubelet found is in the pod's status
            return not all(each.get("ready") for each in get(pod, "status", "containerStatuses", default=()))
        port = self._find_port(container, how.get("port"))
        if "tcpSocket" in probe:
            return not self._listens(pod, port)
        answer = self._ask(pod, port, str(how.get("path") or "/"))
        return not isinstance(answer, HttpAnswer) or not 200 <= answer.status < 400

    def _find_port(self, container: Object, port: object) -> int:
        if isinstance(port, int) or str(port).isdecimal():
            return int(str(port))
        return next((int(p["containerPort"]) for p in container.get("ports") or () if p.get("name") == port), 0)

    def _listens(self, pod: Object, port: int) -> bool:
        """Whether a connection to a port of a pod opens: the API server tries, and says why not."""
        answer = self._ask(pod, port, "/")
        return isinstance(answer, HttpAnswer) or not any(word in str(answer) for word in REFUSED)

    def _ask(self, pod: Object, port: int, path: str) -> HttpAnswer | str:
        place = f"{pod['metadata']['name']}:{port}"
        asked = {"method": "GET", "path": path}
        answer = self.api.send(Request("get", "pods", pod["metadata"]["namespace"], place, "proxy", asked))
        return answer.body if isinstance(answer.body, HttpAnswer) else str(answer.body.get("message", ""))

    def output(self, pod: Object, argv: Sequence[str]) -> str | None:
        meta, query = pod["metadata"], {"container": pod["spec"]["containers"][0]["name"]}
        body = {"command": list(argv)}
        answer = self.api.send(Request("create", "pods", meta["namespace"], meta["name"], "exec", body, query=query))
        return answer.body.stdout if isinstance(answer.body, Output) and not answer.body.code else None

    def programs(self, component: str) -> Sequence[str]:
        """Running containers, as `uid/container`."""
        return [
            f"{uid_of(pod)}/{status['name']}"
            for pod in self.pods(component)
            for status in get(pod, "status", "containerStatuses", default=())
            if self.past or "running" in status.get("state", {})
        ]

    def _find(self, program: str) -> tuple[Obj, Object]:
        """The pod and the container of a program."""
        uid, _, name = program.partition("/")
        pod = next(pod for pod in self.world.store.all("pods", self.app.namespace) if uid_of(pod) == uid)
        return pod, next(each for each in pod["spec"]["containers"] if each["name"] == name)

    def addresses(self, host: str, program: str = "") -> Sequence[str]:
        """By what the pod says of names, and by the Services: a resolver of its own is not asked."""
        if program:
            pod, _ = self._find(program)
            for alias in get(pod, "spec", "hostAliases", default=()):
                if host in (alias.get("hostnames") or ()):
                    return [str(alias["ip"])]
            if get(pod, "spec", "dnsPolicy", default="ClusterFirst") != "ClusterFirst":
                return []
        service = self.object("services", host.partition(".")[0])
        return [str(service["spec"]["clusterIP"])] if service is not None else []

    def connect(self, host: str, port: int, program: str = "") -> Reached:
        """By the Service's endpoints, each of which is tried; what a NetworkPolicy keeps a program from is left out."""
        service, found, refusing = self.object("services", host), set[str](), 0
        if service is None:
            return Reached()
        named = [p.get("name", "") for p in get(service, "spec", "ports", default=()) if p["port"] == port]
        subsets = get(self.object("endpoints", host) or Obj(), "subsets", default=())
        ends = [
            (address, int(each["port"]))
            for subset in subsets
            for each in subset.get("ports") or ()
            for address in subset.get("addresses") or ()
            if each.get("name", "") in named
        ]
        for address, number in ends:
            uid = get(address, "targetRef", "uid", default="")
            pod = self._find_pod(uid)
            if pod is None or (program and not self.lets_through(self._find(program)[0], str(address["ip"]), number)):
                refusing += 1
            elif self.past or self._listens(pod, number):
                found.add(uid)
            else:
                refusing += 1
        return Reached(frozenset(found), refusing)

    def _find_pod(self, uid: str) -> Obj | None:
        return next((pod for pod in self.world.store.all("pods", self.app.namespace) if uid_of(pod) == uid), None)

    def listening(self, component: str) -> Sequence[tuple[str, int]]:
        """IPs of its pods with the ports to which Services lead."""
        mine, found = {get(pod, "status", "podIP"): pod for pod in self.pods(component)}, list[tuple[str, int]]()
        for endpoints in self.objects("endpoints"):
            for subset in endpoints.get("subsets") or ():
                for address in subset.get("addresses") or ():
                    found += [
                        (str(address["ip"]), int(each["port"]))
                        for each in subset.get("ports") or ()
                        if address["ip"] in mine
                    ]
        return sorted(set(found))

    def lets_through(self, pod: Object, ip: str, port: int) -> bool:
        """By the NetworkPolicies."""
        source = get(pod, "status", "podIP")
        return not source or Firewall(self.world).passes(source, ip, port)

    def limits(self, program: str) -> Amounts:
        _, container = self._find(program)
        said: Mapping[str, str] = get(container, "resources", "limits", default=Obj())
        cpu, memory = said.get("cpu"), said.get("memory")
        return Amounts(float(parse(str(cpu))) if cpu else INFINITE, float(parse(str(memory))) if memory else INFINITE)

    def load(self, component: str) -> tuple[float, float]:
        """The cores that one of its pods used in the last minutes; requests are not counted by everybody."""
        found = [self._use(program).cpu for program in self.programs(component)[:1]]
        return 0.0, found[0] if found else 0.0

    def usage(self, program: str, load: tuple[float, float]) -> Amounts:
        """What it uses now, or what was used under that load."""
        used = self._use(program)
        return Amounts(max(used.cpu, load[1]), used.memory)

    def _use(self, program: str) -> Amounts:
        pod, container = self._find(program)
        labels = f'namespace="{namespace_of(pod)}",pod="{name_of(pod)}",container="{container["name"]}"'
        cpu = self.telemetry.number(f"sum(rate(container_cpu_usage_seconds_total{{{labels}}}[5m]))")
        memory = self.telemetry.number(f"sum(container_memory_working_set_bytes{{{labels}}})")
        return Amounts(cpu, memory)

    def upstream(self, program: str, callee: str) -> Upstream:
        _refuse("what a program has read of another one at its start")

    def callers(self, component: str) -> frozenset[str]:
        _refuse("which programs connect to a component")

    def asks_password(self, program: str) -> bool:
        _refuse("whether a store refuses clients that name no user")


def _refuse(what: str) -> NoReturn:
    raise BackendError(f"a real cluster cannot say {what}, which the judge of this fault has to know")
