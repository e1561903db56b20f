"""Ingresses and network policies."""

from __future__ import annotations

from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kube_api import standing
from aiops_gym.sim.kube_api.kind import Draft, Kind, make_age_cell, parse_columns
from aiops_gym.sim.kube_api.selectors import format_object
from aiops_gym.sim.kube_api.status import Fault, required, unsupported
from aiops_gym.types import Json

PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")


def _policy(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    spec.setdefault("podSelector", {})
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
    for rule in (*(spec.get("ingress") or ()), *(spec.get("egress") or ())):
        for port in rule.get("ports") or ():
            port.setdefault("protocol", "TCP")


def _ingress_faults(draft: Draft) -> list[Fault]:
    spec, faults = draft.get("spec") or {}, list[Fault]()
    if not spec.get("rules") and not spec.get("defaultBackend"):
        faults.append(required("spec", "either `defaultBackend` or `rules` must be specified"))
    for i, rule in enumerate(spec.get("rules") or ()):
        for j, path in enumerate(get(rule, "http", "paths", default=[])):
            where = f"spec.rules[{i}].http.paths[{j}].pathType"
            if not path.get("pathType"):
                faults.append(required(where, "pathType must be specified"))
            elif path["pathType"] not in PATH_TYPES:
                faults.append(unsupported(where, path["pathType"], PATH_TYPES))
    return faults


def _ingress_cells(obj: Obj) -> list[Json]:
    spec = obj.get("spec", {})
    hosts = [rule["host"] for rule in spec.get("rules") or () if rule.get("host")]
    more = f" + {len(hosts) - 3} more..." if len(hosts) > 3 else ""
    found = get(obj, "status", "loadBalancer", "ingress", default=[])
    address = ",".join(i.get("ip") or i.get("hostname", "") for i in found)
    ports = "80, 443" if spec.get("tls") else "80"
    shown = ",".join(hosts[:3]) + more if hosts else "*"
    return [
        obj["metadata"]["name"],
        spec.get("ingressClassName") or "<none>",
        shown,
        address,
        ports,
        make_age_cell(obj),
    ]


def _policy_cells(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], format_object(get(obj, "spec", "podSelector", default={})), make_age_cell(obj)]


def _class_cells(obj: Obj) -> list[Json]:
    parameters = get(obj, "spec", "parameters", default={})
    shown = f"{parameters['kind']}/{parameters['name']}" if parameters else "<none>"
    return [obj["metadata"]["name"], get(obj, "spec", "controller", default=""), shown, make_age_cell(obj)]


KINDS = (
    Kind(
        resource="ingresses.networking.k8s.io",
        columns=parse_columns("Name/Class/Hosts/Address/Ports/Age"),
        cells=_ingress_cells,
        validate=_ingress_faults,
        validate_status=standing.balancer,
        status={"loadBalancer": {}},
        generation=True,
    ),
    Kind(
        resource="networkpolicies.networking.k8s.io",
        columns=parse_columns("Name/Pod-Selector/Age"),
        cells=_policy_cells,
        default=_policy,
        generation=True,
    ),
    Kind(
        resource="ingressclasses.networking.k8s.io",
        columns=parse_columns("Name/Controller/Parameters/Age"),
        cells=_class_cells,
        generation=True,
    ),
)
