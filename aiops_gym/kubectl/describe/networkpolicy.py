"""Network policies, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.times import millis

RESOURCES = ("networkpolicies.networking.k8s.io",)
PURE = True
EVENTS = False
INDENT = "    "


def describe(page: Page, policy: Object, view: View) -> None:
    """Write what a policy lets through."""
    spec = policy.get("spec") or {}
    created = millis(policy["metadata"]["creationTimestamp"]) // 1000
    meta.title(page, policy)
    page.line(f"Created on:\t{datetime.fromtimestamp(created, UTC):%Y-%m-%d %H:%M:%S +0000 UTC}")
    meta.write_metadata(page, policy)
    page.line("Spec:")
    pods = meta.format_selector(spec.get("podSelector") or {})
    everything = "<none> (Allowing the specific traffic to all pods in this namespace)"
    page.line(f"  PodSelector:     {everything if pods == '<none>' else pods}")
    kinds = spec.get("policyTypes") or ()
    for kind, field, peers, way in (
        ("Ingress", "ingress", "from", "source"),
        ("Egress", "egress", "to", "destination"),
    ):
        if kind not in kinds:
            page.line(f"Not affecting {field} traffic", 1)
            continue
        page.line(f"Allowing {field} traffic:", 1)
        if not spec.get(field):
            page.line(f"{INDENT}<none> (Selected pods are isolated for {field} connectivity)")
        _rules(page, spec.get(field) or (), peers, way)
    page.line(f"Policy Types: {', '.join(kinds) or '<none>'}", 1)


def _rules(page: Page, rules: Sequence[Object], peers: str, way: str) -> None:
    head = peers.capitalize()
    for number, rule in enumerate(rules):
        if number:
            page.line(f"{INDENT}----------")
        if not rule.get("ports"):
            page.line(f"{INDENT}To Port: <any> (traffic allowed to all ports)")
        for port in rule.get("ports") or ():
            page.line(INDENT + _port(port))
        if not rule.get(peers):
            page.line(f"{INDENT}{head}: <any> (traffic not restricted by {way})")
        for peer in rule.get(peers) or ():
            page.line(f"{INDENT}{head}:")
            _peer(page, peer)


def _port(port: Object) -> str:
    number, protocol = port.get("port", "<nil>"), port.get("protocol", "TCP")
    if port.get("endPort") is not None:
        return f"To Port Range: {number}-{port['endPort']}/{protocol}"
    return f"To Port: {number}/{protocol}"


def _peer(page: Page, peer: Object) -> None:
    block = peer.get("ipBlock")
    for field in ("namespaceSelector", "podSelector"):
        if peer.get(field) is not None:
            page.line(f"{INDENT}{field[0].upper()}{field[1:]}: {meta.format_selector(peer[field])}", 1)
            block = None
    if block is not None:
        page.line(f"{INDENT}IPBlock:", 1)
        page.line(f"{INDENT}CIDR: {block.get('cidr', '')}", 2)
        page.line(f"{INDENT}Except: {', '.join(block.get('except') or ())}", 2)
