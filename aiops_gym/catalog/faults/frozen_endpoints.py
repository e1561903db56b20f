"""A Service has lost its selector: its endpoints stay what they were, and the pod behind them has gone since."""

from aiops_gym.catalog.checks import reached
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import PODS, make_edit, make_patch

SELECTOR = "/spec/selector"

fault = Fault(
    id="frozen_endpoints",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Network/Storage Issue"),),
    changes=(
        Patch(resource="services", name="{target}", ops=({"op": "remove", "path": SELECTOR},)),
        Restart(components=("{target}",)),
        Restart(components=("{service}",)),
    ),
    wait=90.0,
    cause=Cause(check=reached, service="{service}"),
    looks=(
        f"{PODS} -o wide",
        "kubectl get endpoints -n {namespace}",
        "kubectl describe service {target} -n {namespace}",
    ),
    fixes=(
        make_patch("service", {"op": "add", "path": SELECTOR, "value": "#{was_selector}"}),
        make_edit("service", ".spec.selector = {was_selector}"),
        "kubectl set selector service {target} {selector_pairs} -n {namespace}",
    ),
    targets=("needed", "served"),
)
