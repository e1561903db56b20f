"""`kubectl create ingress`."""

from __future__ import annotations

import re

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kernel.digits import parse_amount
from aiops_gym.types import Json

RULE = re.compile(r"([^/=]*)(/[^=]*)?=([^:,]+):([^,]+)(?:,tls(?:=(.*))?)?")


def run(call: Invocation) -> int | None:
    """Create an ingress."""
    name, flags = name_of(call), call.flags
    if not flags.items("rule") and not flags.text("default-backend"):
        raise Failure(
            "not enough information provided: every ingress has to either specify a default-backend (which catches all "
            "traffic) or a list of rules (which catch specific paths)"
        )
    spec: dict[str, Json] = {}
    if flags.text("class"):
        spec["ingressClassName"] = flags.text("class")
    if flags.text("default-backend"):
        service, colon, port = flags.text("default-backend").partition(":")
        if not colon:
            raise Failure("default-backend should be in format servicename:serviceport")
        spec["defaultBackend"] = _backend(service, port)
    _rules(spec, flags.items("rule"))
    metadata: dict[str, Json] = {}
    if flags.items("annotation"):
        metadata["annotations"] = _annotations(flags.items("annotation"))
    obj = new_object("networking.k8s.io/v1", "Ingress", name, metadata=metadata, spec=spec, status={"loadBalancer": {}})
    make(call, obj, "ingress")
    return None


def _rules(spec: dict[str, Json], texts: tuple[str, ...]) -> None:
    hosts: dict[str, list[Json]] = {}
    secrets: dict[str, list[str]] = {}
    for text in texts:
        match = RULE.fullmatch(text)
        if match is None:
            raise Failure(f"rule {text} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]")
        host, path, service, port, secret = match.groups()
        prefix = (path or "").endswith("*")
        item = {"backend": _backend(service, port), "path": (path or "").removesuffix("*") or "/"}
        hosts.setdefault(host, []).append({**item, "pathType": "Prefix" if prefix else "Exact"})
        if ",tls" in text and host not in secrets.setdefault(secret or "", []):
            secrets[secret or ""].append(host)
    if hosts:
        spec["rules"] = [{**({"host": h} if h else {}), "http": {"paths": paths}} for h, paths in hosts.items()]
    if secrets:
        spec["tls"] = [
            {**({"hosts": found} if any(found) else {}), **({"secretName": name} if name else {})}
            for name, found in secrets.items()
        ]


def _annotations(pairs: tuple[str, ...]) -> dict[str, str]:
    for pair in pairs:
        if "=" not in pair:
            raise Failure(f"annotation {pair} is invalid and should be in format key=[value]")
    return dict(pair.split("=", 1) for pair in pairs)


def _backend(service: str, port: str) -> Json:
    number = parse_amount(port)
    return {"service": {"name": service, "port": {"name" if isinstance(number, str) else "number": number}}}


verb = Verb(
    "ingress",
    run,
    flags=(
        Flag("class", help="Ingress Class to be used"),
        Flag("rule", "array", help="Rule in format host/path=service:port[,tls=secretname]."),
        Flag("default-backend", help="Default service for backend, in format of svcname:port"),
        Flag("annotation", "array", help="Annotation to insert in the ingress object, in the format annotation=value"),
        *FLAGS,
    ),
    aliases=("ing",),
    usage="create ingress NAME --rule=host/path=service:port[,tls[=secret]]",
    short="Create an ingress with the specified name",
)
