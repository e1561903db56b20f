"""Endpoint slices."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("endpointslices.discovery.k8s.io",)
PURE = True


def describe(page: Page, found: Object, view: View) -> None:
    """Write the endpoints of one slice."""
    meta.title(page, found)
    meta.write_metadata(page, found)
    page.line(f"AddressType:\t{found.get('addressType', '')}")
    if ports := found.get("ports"):
        page.line("Ports:")
        page.rows([("Name", "Port", "Protocol"), ("----", "----", "--------")])
        page.rows((p.get("name") or "<unset>", p.get("port", "<unset>"), p.get("protocol", "")) for p in ports)
    else:
        page.line("Ports: <unset>")
    page.line("Endpoints:" if found.get("endpoints") else "Endpoints: <none>")
    for endpoint in found.get("endpoints") or ():
        _endpoint(page, endpoint)


def _endpoint(page: Page, endpoint: Object) -> None:
    page.line(f"- Addresses:\t{', '.join(endpoint.get('addresses') or ()) or '<none>'}", 1)
    page.line("Conditions:", 2)
    ready = get(endpoint, "conditions", "ready")
    page.line(f"Ready:\t{'<unset>' if ready is None else str(ready).lower()}", 3)
    page.line(f"Hostname:\t{endpoint.get('hostname', '<unset>')}", 2)
    if target := endpoint.get("targetRef"):
        page.line(f"TargetRef:\t{target.get('kind', '')}/{target.get('name', '')}", 2)
    page.line(f"NodeName:\t{endpoint.get('nodeName', '<unset>')}", 2)
    page.line(f"Zone:\t{endpoint.get('zone', '<unset>')}", 2)
