"""Ingresses, with the endpoints behind each path."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.service import find_slices, format_endpoints
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("ingresses.networking.k8s.io",)


def describe(page: Page, ingress: Object, view: View) -> None:
    """Write the rules of an ingress."""
    spec, namespace = ingress.get("spec") or {}, ingress["metadata"].get("namespace", "")
    page.line(f"Name:\t{ingress['metadata']['name']}")
    meta.write_labels(page, "Labels", ingress["metadata"].get("labels"))
    page.line(f"Namespace:\t{namespace}")
    balancers = get(ingress, "status", "loadBalancer", "ingress", default=())
    addresses = sorted({item.get("ip") or item.get("hostname") or "" for item in balancers} - {""})
    page.line(f"Address:\t{','.join(addresses)}")
    page.line(f"Ingress Class:\t{spec.get('ingressClassName', '<none>')}")
    default = _backend(spec["defaultBackend"], namespace, view) if spec.get("defaultBackend") else "<default>"
    page.line(f"Default backend:\t{default}")
    if spec.get("tls"):
        page.line("TLS:")
        for item in spec["tls"]:
            hosts = ",".join(item.get("hosts") or ())
            secret = item.get("secretName")
            page.line(f"{secret} terminates {hosts}" if secret else f"SNI routes {hosts}", 1)
    page.line("Rules:")
    page.rows([("Host", "Path", "Backends"), ("----", "----", "--------")])
    rules = [rule for rule in spec.get("rules") or () if rule.get("http") is not None]
    for rule in rules:
        page.line(f"{rule.get('host') or '*'}\t", 1)
        for path in rule["http"].get("paths") or ():
            page.line(f"\t{path.get('path', '')} \t{_backend(path['backend'], namespace, view)}", 2)
    if not rules:
        page.line(f"*\t*\t{default}", 1)
    meta.write_annotations(page, "Annotations", ingress["metadata"].get("annotations"))


def _backend(backend: Object, namespace: str, view: View) -> str:
    """A service with its endpoints, or why there are none."""
    service = backend.get("service")
    if service is None:
        part = backend.get("resource") or {}
        return f"APIGroup: {part.get('apiGroup', '<none>')}, Kind: {part.get('kind', '')}, Name: {part.get('name', '')}"
    name, port = service["name"], service.get("port") or {}
    text = f"{name}:{port.get('number') or port.get('name', '')}"
    found = view.get("services", namespace, name)
    if found is None:
        return f'{text} (<error: services "{name}" not found>)'
    wanted = ""
    for item in get(found, "spec", "ports", default=()):
        if item.get("port") == port.get("number") or (port.get("name") and item.get("name") == port["name"]):
            wanted = item.get("name", "")
    return f"{text} ({format_endpoints(find_slices(view, namespace, name), wanted)})"
