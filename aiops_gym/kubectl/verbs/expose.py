"""`kubectl expose`."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.changes import prepare
from aiops_gym.kubectl.creation import DERIVING, make, overridden
from aiops_gym.kubectl.errors import Failure, Failures
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import FILES, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kernel.digits import INT32, parse_amount, parse_natural
from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Json

EXPOSED = ("Deployment", "ReplicaSet", "Service", "ReplicationController", "Pod")


def run(call: Invocation) -> int | None:
    """Create a service for a workload, a pod or another service."""
    prepare(call)
    call.client.configure()
    wanted = select(call, call.args, labels="")

    def expose(info: Info) -> None:
        make(call, overridden(call, _service(call, info)), operation="exposed", manager="kubectl-expose")

    errors = wanted.each(expose)
    if errors:
        raise Failures(errors)
    return None


def _service(call: Invocation, info: Info) -> Json:
    flags = call.flags
    if info.resource.kind not in EXPOSED:
        raise Failure(f"cannot expose a {info.resource.group_kind}")
    selector = _pairs(flags.text("selector")) if flags.text("selector") else _selector(info)
    ports = _ports(call, info)
    spec: dict[str, Json] = {"selector": selector}
    if ports:
        spec["ports"] = ports
    if flags.text("type"):
        spec["type"] = flags.text("type")
    for flag, field in (("cluster-ip", "clusterIP"), ("session-affinity", "sessionAffinity")):
        if flags.text(flag):
            spec[field] = flags.text(flag)
    if flags.text("external-ip"):
        spec["externalIPs"] = [flags.text("external-ip")]
    if flags.text("type") == "LoadBalancer" and flags.text("load-balancer-ip"):
        spec["loadBalancerIP"] = flags.text("load-balancer-ip")
    if flags.text("session-affinity") not in ("", "None", "ClientIP"):
        raise Failure(f"unknown session affinity: {flags.text('session-affinity')}")
    if not (flags.text("name") or info.name):
        raise Failure("name must be specified")
    labels = _pairs(flags.text("labels")) if flags.text("labels") else info.obj["metadata"].get("labels")
    metadata: dict[str, Json] = {"creationTimestamp": None, "name": flags.text("name") or info.name}
    if labels:
        metadata["labels"] = dict(labels)
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec, "status": {"loadBalancer": {}}}


def _pairs(text: str) -> dict[str, str]:
    if wrong := [pair for pair in text.split(",") if "=" not in pair]:
        raise Failure(f"unexpected label spec: {wrong[0]}")
    return dict(pair.split("=", 1) for pair in text.split(","))


def _selector(info: Info) -> Mapping[str, str]:
    """The labels of the pods behind an object. Raises Failure."""
    kind = info.resource.kind
    if kind in ("Deployment", "ReplicaSet"):
        if get(info.obj, "spec", "selector", "matchExpressions"):
            raise Failure(
                "couldn't retrieve selectors via --selector flag or introspection: couldn't convert expressions"
            )
        return dict(get(info.obj, "spec", "selector", "matchLabels", default={}))
    if kind in ("Service", "ReplicationController"):
        found: Mapping[str, str] = get(info.obj, "spec", "selector", default={})
    else:
        found = info.obj["metadata"].get("labels") or {}
    if not found:
        words = (
            "the pod has no labels and cannot be exposed" if kind == "Pod" else "the service has no pod selector set"
        )
        raise Failure(f"couldn't retrieve selectors via --selector flag or introspection: {words}")
    return found


def _ports(call: Invocation, info: Info) -> list[Json]:
    text, target, protocol = (call.flags.text(name) for name in ("port", "target-port", "protocol"))
    found = _declared(info)
    numbers = text.split(",") if text else [str(number) for number, _ in found]
    if not numbers and call.flags.text("cluster-ip") != "None":
        raise Failure("couldn't find port via --port flag or introspection")
    protocols = {str(number): kind for number, kind in found}
    ports = []
    for index, word in enumerate(numbers):
        port = parse_natural(word.strip())
        if port is None or port >= INT32:
            why = "invalid syntax" if port is None else "value out of range"
            raise Failure(f'strconv.Atoi: parsing "{word}": {why}')
        goal: Json = target or word.strip()
        name = {"name": f"port-{index + 1}"} if len(numbers) > 1 else {}
        item = {**name, "port": port, "protocol": protocol or protocols.get(word.strip(), "TCP")}
        ports.append({**item, "targetPort": parse_amount(goal)})
    return ports


def _declared(info: Info) -> list[tuple[int, str]]:
    """Ports that the object itself names, with their protocols."""
    if info.resource.kind == "Service":
        return [(port["port"], port.get("protocol", "TCP")) for port in get(info.obj, "spec", "ports", default=())]
    path = ("spec",) if info.resource.kind == "Pod" else ("spec", "template", "spec")
    containers = get(info.obj, *path, "containers", default=())
    return [(p["containerPort"], p.get("protocol", "TCP")) for c in containers for p in c.get("ports") or ()]


verb = Verb(
    "expose",
    run,
    flags=(
        Flag("port", help="The port that the service should serve on."),
        Flag("target-port", help="Name or number for the port on the container that the service should direct to."),
        Flag("protocol", help="The network protocol for the service to be created."),
        Flag("type", help="Type for this service: ClusterIP, NodePort, LoadBalancer, or ExternalName."),
        Flag("name", help="The name for the newly created object."),
        Flag("selector", help="A label selector to use for this service."),
        Flag("labels", short="l", help="Labels to apply to the service created by this call."),
        Flag("cluster-ip", help="ClusterIP to be assigned to the service."),
        Flag("external-ip", help="Additional external IP address to accept for the service."),
        Flag("load-balancer-ip", help="IP to assign to the LoadBalancer."),
        Flag("session-affinity", help="If non-empty, set the session affinity for the service to this."),
        Flag("overrides", help="An inline JSON override for the generated object."),
        Flag("override-type", default="merge", help="The method used to override the generated object."),
        *FILES,
        *DERIVING,
    ),
    usage="expose (-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name]",
    short="Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
)
