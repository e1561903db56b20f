"""Whether a cause is gone: what the catalogue's checks ask of a system, answered by a simulated world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from aiops_gym.backends.baseline import request
from aiops_gym.backends.shape import describe_workload, find_owned_pods
from aiops_gym.catalog.model import App, Cause, Fault
from aiops_gym.catalog.system import Amounts, Object, Reached, System, Upstream, Workload
from aiops_gym.catalog.traits import flatten
from aiops_gym.sim.kernel.objects import Obj, get, key_of, name_of, uid_of
from aiops_gym.sim.kernel.quantity import whole
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_control.kubelet import probes
from aiops_gym.sim.kube_control.pods import is_terminal
from aiops_gym.sim.kube_control.scheduling.filters import tolerates
from aiops_gym.sim.machine.mounts import read_mounts
from aiops_gym.sim.machine.scripts import inside
from aiops_gym.sim.network import names, routes
from aiops_gym.sim.network.firewall import Firewall
from aiops_gym.sim.software import programs
from aiops_gym.sim.telemetry import usage
from aiops_gym.sim.traffic import configuration, quotas
from aiops_gym.types import Json

INFINITE = float("inf")


def is_cause_gone(before: World, world: World, app: App, fault: Fault | None, reasons: list[str]) -> bool:
    """Whether the causes of a fault are gone, those of all its parts; what is left of them is added to `reasons`."""
    usual, now = SimulatedSystem(before, app), SimulatedSystem(world, app)
    causes = [part.cause for part in fault.each if part.cause is not None] if fault else []
    wrong = [what for cause in causes if (what := _find_wrong(usual, now, cause))]
    reasons.extend(wrong)
    return not wrong


def _find_wrong(usual: SimulatedSystem, now: SimulatedSystem, cause: Cause) -> str:
    wrong, name = cause.check(usual, now, cause), cause.component
    if not wrong and name and (failing := now.failing_probe(name)) and not usual.failing_probe(name):
        return f"the {failing} of {name} fails"
    return wrong


class SimulatedSystem(System):
    """An app in a simulated world; make a new one when the world changes.

    Args:
        world: what is asked. What could change it is done to a fork.
        app: whose components are meant.
    """

    def __init__(self, world: World, app: App) -> None:
        self.world, self.app, self.components = world, app, app.components

    def objects(self, resource: str) -> Sequence[Object]:
        return self.world.store.all(resource, self._space(resource) or None)

    def object(self, resource: str, name: str) -> Obj | None:
        return self.world.store.get(resource, self._space(resource), name)

    def _space(self, resource: str) -> str:
        return self.app.namespace if RESOURCES[resource].namespaced else ""

    def pods(self, component: str) -> Sequence[Obj]:
        return find_owned_pods(self.world, self.app, component)

    def admit(self, component: str) -> tuple[Obj | None, str]:
        """Tried on the server, and kept nowhere."""
        pod = self._make_pod(component)
        return self._try(pod) if pod is not None else (None, f"there is no deployment {component}")

    def _make_pod(self, component: str) -> Json | None:
        """The next pod of a deployment, as its controller would ask for it."""
        deployment = self.object("deployments.apps", component)
        if deployment is None:
            return None
        template = deployment["spec"]["template"]
        meta = {**(template.get("metadata") or {}), "generateName": f"{component}-", "namespace": self.app.namespace}
        meta.pop("creationTimestamp", None)
        return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": template["spec"]}

    def _try(self, pod: Json) -> tuple[Obj | None, str]:
        answer = request(self.world.fork(), "create", "pods", self.app.namespace, body=pod, query={"dryRun": "All"})
        return (answer.body, "") if answer.code < 400 else (None, str(answer.body["message"]))

    def runs(self, component: str) -> Workload | None:
        return describe_workload(self.world, self.app, component)

    def files(self, component: str) -> Mapping[str, str]:
        found = dict[str, str]()
        for pod in self.pods(component):
            for container in pod["spec"]["containers"]:
                found |= read_mounts(self.world, pod, container)
        return found

    def failing_probe(self, component: str) -> str:
        """The field of a probe that fails, however seldom or late the kubelet may ask it."""
        for pod in self.pods(component):
            if uid_of(pod) not in self.world.table("kubelet") or is_terminal(pod):  # not yet, or no more
                continue
            for container in pod["spec"]["containers"]:
                for field in probes.KINDS.values():
                    if (asked := container.get(field)) and self._fails(pod, container, asked):
                        return field
        return ""

    def _fails(self, pod: Obj, container: Object, probe: Object) -> bool:
        return probes.run(self.world.fork(), uid_of(pod), pod, container, probe).failure is not None

    def output(self, pod: Object, argv: Sequence[str]) -> str | None:
        container = pod["spec"]["containers"][0]["name"]
        ran = inside.execute(self.world.fork(), key_of(pod), container, list(argv))
        return None if ran.code else ran.stdout

    def programs(self, component: str) -> Sequence[str]:
        """Keys of the table of processes."""
        keys = [f"{uid_of(pod)}/{each['name']}" for pod in self.pods(component) for each in pod["spec"]["containers"]]
        return [key for key in keys if key in self._processes]

    @property
    def _processes(self) -> Mapping[str, Process]:
        return self.world.table("processes")

    def addresses(self, host: str, program: str = "") -> Sequence[str]:
        return routes.resolve(self.world, program or None, self.app.namespace, host)

    def connect(self, host: str, port: int, program: str = "") -> Reached:
        route = routes.dial(self.world, program or None, self.app.namespace, host, port)
        return Reached(frozenset(self._processes[target.process]["uid"] for target in route.targets), route.dead)

    def upstream(self, program: str, callee: str) -> Upstream:
        row, call = self._processes[program], {"to": callee}
        return Upstream(*configuration.find_endpoint(row, call), pooled=not configuration.measure_starvation(row, call))

    def callers(self, component: str) -> frozenset[str]:
        """Components whose programs dial its Service, or ask the registry for it."""
        known = {str(self._processes[key]["params"].get("service", "")) for key in self.programs(component)} - {""}
        found = set()
        for name in self.components:
            asked = set[str]().union(*(_list_asked(self._processes[key]) for key in self.programs(name)))
            if asked & known or any(self._leads_to(host, component) for host in sorted(asked)):
                found.add(name)
        return frozenset(found - {component})

    def _leads_to(self, host: str, component: str) -> bool:
        service = names.find_service(self.world, self.app.namespace, host)
        endpoints = self.object("endpoints", name_of(service)) if service is not None else None
        subsets = get(endpoints or Obj(), "subsets", default=())
        addresses = [each for some in subsets for each in some.get("addresses") or ()]
        mine = {uid_of(pod) for pod in self.pods(component)}
        return any(get(address, "targetRef", "uid") in mine for address in addresses)

    def asks_password(self, program: str) -> bool:
        """Whether a store was told so by its file, or by its arguments."""
        row = self._processes[program]
        return bool(configuration.configured(row).get("auth") or row["state"].get("auth"))

    def listening(self, component: str) -> Sequence[tuple[str, int]]:
        mine = {uid_of(pod) for pod in self.pods(component)}
        running = [row for row in self._processes.values() if row["running"] and row["uid"] in mine]
        return [(row["ip"], port) for row in running for port in row["ports"]]

    @cached_property
    def _firewall(self) -> Firewall:
        return Firewall(self.world)

    def lets_through(self, pod: Object, ip: str, port: int) -> bool:
        """Whether NetworkPolicies let a pod connect to a port; one without an address is not kept from it."""
        source = get(pod, "status", "podIP")
        return not source or self._firewall.passes(source, ip, port)

    def tolerated(self, component: str) -> frozenset[str]:
        deployment = self.object("deployments.apps", component) or Obj()
        pod = get(deployment, "spec", "template", default={"spec": {}})
        hard = {
            name_of(node): [t for t in get(node, "spec", "taints", default=()) if t["effect"] != "PreferNoSchedule"]
            for node in self.objects("nodes")
        }
        return frozenset(name for name, taints in hard.items() if all(tolerates(pod, taint) for taint in taints))

    def quotas(self, resource: str) -> Mapping[str, int]:
        said = {name_of(quota): get(quota, "spec", "hard", resource) for quota in self.objects("resourcequotas")}
        return {name: whole(str(hard)) for name, hard in said.items() if hard is not None}

    def limits(self, program: str) -> Amounts:
        quota = quotas.find_quota(self.world, program)
        return Amounts(INFINITE if quota.cpu is None else quota.cpu, quota.memory or INFINITE)

    def load(self, component: str) -> tuple[float, float]:
        """Requests per second, and cores for them, of the component's first program."""
        keys, now = self.programs(component), self.world.now
        return usage.measure_demand(self.world, keys[0], now - MINUTE, now) if keys else (0.0, 0.0)

    def usage(self, program: str, load: tuple[float, float]) -> Amounts:
        """What its kind of program uses under a load."""
        row = self._processes[program]
        used = programs.find(row["program"]).usage(row, *load)
        return Amounts(used["cpu"], used["memory"])


def _list_asked(process: Process) -> set[str]:
    """Hosts that a program dials, and services for whose address it asks the registry."""
    params = process["params"]
    steps = [step["mongo"] for step in params.get("startup") or () if "mongo" in step]
    calls = [
        call for handler in (params.get("handlers") or {}).values() for call in flatten(handler.get("calls") or ())
    ]
    found = {configuration.read_address(process, name)[0] for name in ("registry", "tracer")}
    for call in (*steps, *calls):
        if "to" in call or "host" in call:
            found.add(configuration.find_endpoint(process, call)[0])
        else:
            found |= {str(call.get("address", "")).rpartition(":")[0], str(call.get("service", ""))}
    return found - {""}
