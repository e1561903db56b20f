"""`kubectl create service`."""

from __future__ import annotations

from collections.abc import Callable

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.sim.kube_api import names
from aiops_gym.types import Json


def _create(kind: str, word: str) -> Callable[[Invocation], int | None]:
    def run(call: Invocation) -> int | None:
        name, flags = name_of(call), call.flags
        if kind == "ExternalName" and names.validate_dns_subdomain(flags.text("external-name")):
            raise Failure(f"invalid service external name {flags.text('external-name')}")
        ports = [_port(text) for text in flags.items("tcp")]
        headless = kind == "ClusterIP" and flags.text("clusterip") == "None"
        if kind != "ExternalName" and not ports and not headless:
            raise Failure("at least one tcp port specifier must be provided")
        if kind == "NodePort" and flags.number("node-port"):
            ports = [{**port, "nodePort": flags.number("node-port")} for port in ports]
        spec: dict[str, Json] = {"selector": {"app": name}, "type": kind}
        if ports:
            spec["ports"] = ports
        if kind == "ClusterIP" and flags.text("clusterip"):
            spec["clusterIP"] = flags.text("clusterip")
        if kind == "ExternalName":
            spec["externalName"] = flags.text("external-name")
        labels = {"labels": {"app": name}}
        obj = new_object("v1", "Service", name, metadata=labels, spec=spec, status={"loadBalancer": {}})
        make(call, obj, f"{word} service")
        return None

    return run


def _port(text: str) -> Json:
    """`8080:80` or `80`."""
    first, colon, second = text.partition(":")
    port = parse_natural(first)
    if port is None or port > 65535:
        why = "invalid syntax" if port is None else "value out of range"
        raise Failure(f"strconv.ParseUint: parsing {go_quote(first)}: {why}")
    number = parse_natural(second)
    if colon and (faults := names.validate_port_name(second) if number is None else names.validate_port_number(number)):
        raise Failure(",".join(faults))
    target: int | str = port if not colon else second if number is None else number
    return {"name": text.replace(":", "-"), "port": port, "protocol": "TCP", "targetPort": target}


TCP = Flag("tcp", "list", help="Port pairs can be specified as '<port>:<targetPort>'.")
OWN = {
    "clusterip": (
        "ClusterIP",
        "ClusterIP",
        (TCP, Flag("clusterip", help="Assign your own ClusterIP or set to 'None'.")),
    ),
    "nodeport": ("NodePort", "NodePort", (TCP, Flag("node-port", "int", help="Port used to expose the service."))),
    "loadbalancer": ("LoadBalancer", "LoadBalancer", (TCP,)),
    "externalname": ("ExternalName", "ExternalName", (TCP, Flag("external-name", help="External name of service"))),
}
verb = Verb(
    "service",
    verbs=tuple(
        Verb(
            name,
            _create(kind, word),
            flags=(*flags, *FLAGS),
            required=("external-name",) if name == "externalname" else (),
            usage=f"create service {name} NAME [--tcp=<port>:<targetPort>] [--dry-run=server|client|none]",
            short=f"Create a {kind} service",
        )
        for name, (kind, word, flags) in OWN.items()
    ),
    aliases=("svc",),
    usage="create service",
    short="Create a service using a specified subcommand",
)
