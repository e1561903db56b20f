"""Resource quotas."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("resourcequotas",)
PURE = True
EVENTS = False
SCOPES = {
    "Terminating": "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before "
    "being actively terminated by the system.",
    "NotTerminating": "Matches all pods that do not have an active deadline. These pods usually include long running "
    "pods whose container command is not expected to terminate.",
    "BestEffort": "Matches all pods that do not have resource requirements set. These pods have a best effort quality "
    "of service.",
    "NotBestEffort": "Matches all pods that have at least one resource requirement set. These pods have a burstable or "
    "guaranteed quality of service.",
}


def describe(page: Page, quota: Object, view: View) -> None:
    """Write one quota."""
    meta.title(page, quota)
    _scopes(page, quota, "", " * ")
    page.line("Resource\tUsed\tHard")
    page.line("--------\t----\t----")
    page.rows(_used(quota), 0)


def write_quotas(page: Page, quotas: Sequence[Object]) -> None:
    """Write the quotas of a namespace."""
    page.line("Resource Quotas" if quotas else "No resource quota.")
    for quota in quotas:
        page.line(f"Name:\t{quota['metadata']['name']}", 1)
        _scopes(page, quota, "  ", "  * ")
        page.line("Resource\tUsed\tHard", 1)
        page.line("--------\t---\t---", 1)
        page.rows(_used(quota))


def _scopes(page: Page, quota: Object, indent: str, bullet: str) -> None:
    scopes = sorted(get(quota, "spec", "scopes", default=()))
    if scopes:
        page.line(f"{indent}Scopes:\t{', '.join(scopes)}")
    for scope in scopes:
        if scope in SCOPES:
            page.line(f"{bullet}{SCOPES[scope]}")


def _used(quota: Object) -> list[tuple[str, str, str]]:
    hard, used = get(quota, "status", "hard", default={}), get(quota, "status", "used", default={})
    return [(name, used.get(name, "0"), hard[name]) for name in sorted(hard)]
