"""Endpoints."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View

RESOURCES = ("endpoints",)
PURE = True


def describe(page: Page, found: Object, view: View) -> None:
    """Write the addresses behind a service."""
    meta.title(page, found)
    meta.write_metadata(page, found)
    page.line("Subsets:")
    for subset in found.get("subsets") or ():
        for heading, field in (("Addresses", "addresses"), ("NotReadyAddresses", "notReadyAddresses")):
            page.line(f"{heading}:\t{','.join(a['ip'] for a in subset.get(field) or ()) or '<none>'}", 1)
        if subset.get("ports"):
            page.line("Ports:", 1)
            page.rows([("Name", "Port", "Protocol"), ("----", "----", "--------")], 2)
            page.rows(((p.get("name") or "<unset>", p["port"], p.get("protocol", "")) for p in subset["ports"]), 2)
        page.line()
