"""Pod disruption budgets."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View

RESOURCES = ("poddisruptionbudgets.policy",)
PURE = True
STATUS = (
    ("Allowed disruptions", "disruptionsAllowed"),
    ("Current", "currentHealthy"),
    ("Desired", "desiredHealthy"),
    ("Total", "expectedPods"),
)


def describe(page: Page, budget: Object, view: View) -> None:
    """Write how many pods may be missing."""
    spec, status = budget.get("spec") or {}, budget.get("status") or {}
    meta.title(page, budget)
    if spec.get("minAvailable") is not None:
        page.line(f"Min available:\t{spec['minAvailable']}")
    elif spec.get("maxUnavailable") is not None:
        page.line(f"Max unavailable:\t{spec['maxUnavailable']}")
    page.line(f"Selector:\t{meta.format_selector(spec['selector']) if spec.get('selector') is not None else '<unset>'}")
    page.line("Status:")
    for heading, field in STATUS:
        page.line(f"{heading}:\t{status.get(field, 0)}", 2)
