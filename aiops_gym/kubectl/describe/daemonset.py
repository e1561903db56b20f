"""Daemon sets."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.containers import write_template
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.replicaset import format_pods_status
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("daemonsets.apps",)
COUNTS = (
    ("Desired Number of Nodes Scheduled", "desiredNumberScheduled"),
    ("Current Number of Nodes Scheduled", "currentNumberScheduled"),
    ("Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"),
    ("Number of Nodes Scheduled with Available Pods", "numberAvailable"),
    ("Number of Nodes Misscheduled", "numberMisscheduled"),
)


def describe(page: Page, daemon: Object, view: View) -> None:
    """Write all about a daemon set."""
    meta.title(page, daemon, namespaced=False)
    page.line(f"Selector:\t{meta.format_selector(daemon['spec'].get('selector'))}")
    page.line(f"Node-Selector:\t{meta.format_pairs(get(daemon, 'spec', 'template', 'spec', 'nodeSelector'))}")
    meta.write_metadata(page, daemon)
    for heading, field in COUNTS:
        page.line(f"{heading}: {get(daemon, 'status', field, default=0)}")
    page.line(f"Pods Status:\t{format_pods_status(daemon, view)}")
    write_template(page, daemon["spec"].get("template") or {})
