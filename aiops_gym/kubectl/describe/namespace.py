"""Namespaces, with their quotas and limits."""

from __future__ import annotations

from aiops_gym.kubectl.describe import limitrange, meta, resourcequota
from aiops_gym.kubectl.describe.meta import Object, format_time
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View

RESOURCES = ("namespaces",)
EVENTS = False


def describe(page: Page, namespace: Object, view: View) -> None:
    """Write all about a namespace."""
    status, name = namespace.get("status") or {}, namespace["metadata"]["name"]
    meta.title(page, namespace, namespaced=False)
    meta.write_metadata(page, namespace)
    page.line(f"Status:\t{status.get('phase', '')}")
    if status.get("conditions"):
        page.line("Conditions:")
        heads = ("Type", "Status", "LastTransitionTime", "Reason", "Message")
        page.rows([heads, ["-" * len(head) for head in heads]])
        page.rows(
            (
                c["type"],
                c["status"],
                format_time(c.get("lastTransitionTime")),
                c.get("reason", ""),
                c.get("message", ""),
            )
            for c in status["conditions"]
        )
    page.line()
    resourcequota.write_quotas(page, view.list("resourcequotas", name))
    page.line()
    limitrange.write_limit_ranges(page, view.list("limitranges", name))
