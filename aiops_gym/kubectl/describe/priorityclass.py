"""Priority classes."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View

RESOURCES = ("priorityclasses.scheduling.k8s.io",)
PURE = True


def describe(page: Page, found: Object, view: View) -> None:
    """Write a priority class."""
    meta.title(page, found, namespaced=False)
    page.line(f"Value:\t{found.get('value', 0)}")
    page.line(f"GlobalDefault:\t{str(bool(found.get('globalDefault'))).lower()}")
    page.line(f"PreemptionPolicy:\t{found.get('preemptionPolicy', '')}")
    page.line(f"Description:\t{found.get('description', '')}")
    annotations = sorted((found["metadata"].get("annotations") or {}).items())
    page.line(f"Annotations:\t{','.join(f'{k}={v}' for k, v in annotations) or '<none>'}")
