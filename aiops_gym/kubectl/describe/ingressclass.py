"""Ingress classes."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("ingressclasses.networking.k8s.io",)
PURE = True


def describe(page: Page, found: Object, view: View) -> None:
    """Write an ingress class."""
    meta.title(page, found, namespaced=False)
    meta.write_metadata(page, found)
    page.line(f"Controller:\t{get(found, 'spec', 'controller', default='')}")
    if parameters := get(found, "spec", "parameters"):
        page.line("Parameters:")
        page.line(f"APIGroup:\t{parameters.get('apiGroup', '')}", 1)
        page.line(f"Kind:\t{parameters.get('kind', '')}", 1)
        page.line(f"Name:\t{parameters.get('name', '')}", 1)
