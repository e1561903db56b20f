"""Services, with the endpoints behind each port."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("services",)
SHOWN = 3
"""Endpoints that are shown; the rest is `+ N more...`, as kubectl's `formatEndpointSlices` does."""


def describe(page: Page, service: Object, view: View) -> None:
    """Write all about a service."""
    spec = service.get("spec") or {}
    meta.title(page, service)
    meta.write_metadata(page, service)
    page.line(f"Selector:\t{meta.format_pairs(spec.get('selector'))}")
    page.line(f"Type:\t{spec.get('type', '')}")
    _addresses(page, spec)
    if ingress := get(service, "status", "loadBalancer", "ingress"):
        page.line(f"LoadBalancer Ingress:\t{', '.join(_ingress(item) for item in ingress)}")
    slices = find_slices(view, service["metadata"].get("namespace", ""), service["metadata"]["name"])
    for port in spec.get("ports") or ():
        _port(page, port, slices)
    page.line(f"Session Affinity:\t{spec.get('sessionAffinity', '')}")
    if spec.get("externalTrafficPolicy"):
        page.line(f"External Traffic Policy:\t{spec['externalTrafficPolicy']}")
    if spec.get("internalTrafficPolicy"):
        page.line(f"Internal Traffic Policy:\t{spec['internalTrafficPolicy']}")
    if spec.get("healthCheckNodePort"):
        page.line(f"HealthCheck NodePort:\t{spec['healthCheckNodePort']}")
    if spec.get("loadBalancerSourceRanges"):
        page.line(f"LoadBalancer Source Ranges:\t{','.join(spec['loadBalancerSourceRanges'])}")


def _addresses(page: Page, spec: Object) -> None:
    if spec.get("ipFamilyPolicy"):
        page.line(f"IP Family Policy:\t{spec['ipFamilyPolicy']}")
    page.line(f"IP Families:\t{','.join(spec.get('ipFamilies') or ()) or '<none>'}")
    page.line(f"IP:\t{spec.get('clusterIP', '')}")
    page.line(f"IPs:\t{','.join(spec.get('clusterIPs') or ()) or '<none>'}")
    if spec.get("externalIPs"):
        page.line(f"External IPs:\t{','.join(spec['externalIPs'])}")
    if spec.get("loadBalancerIP"):
        page.line(f"Desired LoadBalancer IP:\t{spec['loadBalancerIP']}")
    if spec.get("externalName"):
        page.line(f"External Name:\t{spec['externalName']}")


def _ingress(item: Object) -> str:
    if not item.get("ip"):
        return str(item.get("hostname", ""))
    return f"{item['ip']} ({item['ipMode']})" if item.get("ipMode") else str(item["ip"])


def _port(page: Page, port: Object, slices: Sequence[Object]) -> None:
    name, protocol = port.get("name") or "<unset>", port.get("protocol", "")
    page.line(f"Port:\t{name}\t{port.get('port', 0)}/{protocol}")
    page.line(f"TargetPort:\t{port.get('targetPort', 0)}/{protocol}")
    if port.get("nodePort"):
        page.line(f"NodePort:\t{name}\t{port['nodePort']}/{protocol}")
    page.line(f"Endpoints:\t{format_endpoints(slices, port.get('name', ''))}")


def find_slices(view: View, namespace: str, service: str) -> Sequence[Object]:
    """The endpoint slices of a service."""
    return view.list("endpointslices.discovery.k8s.io", namespace, labels=f"kubernetes.io/service-name={service}")


def format_endpoints(slices: Sequence[Object], port: str) -> str:
    """The first ready endpoints of a port, and how many more there are."""
    if not slices:
        return "<none>"
    found: list[str] = []
    beyond = False  # kubectl counts one that is not ready as "more", though not in the number
    for part in slices:
        ports: list[Object | None] = [item for item in part.get("ports") or () if (item.get("name") or "") == port]
        for item in ports if part.get("ports") else [None]:
            for endpoint in part.get("endpoints") or ():
                beyond = beyond or len(found) == SHOWN
                if get(endpoint, "conditions", "ready", default=True):
                    address = endpoint["addresses"][0]
                    found.append(address if item is None else f"{_host(address)}:{item.get('port', 0)}")
    more = f" + {len(found) - SHOWN} more..." if beyond else ""
    return ",".join(found[:SHOWN]) + more


def _host(address: str) -> str:
    return f"[{address}]" if ":" in address else address
