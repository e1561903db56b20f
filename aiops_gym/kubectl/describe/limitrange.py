"""Limit ranges."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("limitranges",)
PURE = True
EVENTS = False
HEADS = ("Type", "Resource", "Min", "Max", "Default Request", "Default Limit", "Max Limit/Request Ratio")
FIELDS = ("min", "max", "defaultRequest", "default", "maxLimitRequestRatio")


def describe(page: Page, limits: Object, view: View) -> None:
    """Write one limit range."""
    meta.title(page, limits)
    page.rows([HEADS, ["-" * len(head) for head in HEADS], *_limits(limits)], 0)


def write_limit_ranges(page: Page, found: Sequence[Object]) -> None:
    """Write the limit ranges of a namespace."""
    if not found:
        page.line("No LimitRange resource.")
        return
    page.line("Resource Limits")
    rows = [HEADS, ["-" * len(head) for head in HEADS], *(row for limits in found for row in _limits(limits))]
    page.extend(" " + "\t".join(row) for row in rows)


def _limits(limits: Object) -> list[list[str]]:
    rows = []
    for item in get(limits, "spec", "limits", default=()):
        names = sorted({name for field in FIELDS for name in item.get(field) or {}})
        rows += [[item["type"], name, *((item.get(field) or {}).get(name, "-") for field in FIELDS)] for name in names]
    return rows
