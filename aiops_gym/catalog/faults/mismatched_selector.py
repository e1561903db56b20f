"""A Service selects pods by a label value that none has: it has no endpoints."""

from aiops_gym.catalog.checks import reached
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import PODS, make_edit, make_patch

SELECTOR = "/spec/selector/{selector_step}"

fault = Fault(
    id="mismatched_selector",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="services",
            name="{target}",
            ops=({"op": "replace", "path": SELECTOR, "value": "{selector_value}-v2"},),
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=reached, service="{service}"),
    looks=(PODS, "kubectl get endpoints -n {namespace}", "kubectl describe service {target} -n {namespace}"),
    fixes=(
        make_patch("service", {"op": "replace", "path": SELECTOR, "value": "{selector_value}"}),
        "kubectl patch service {target} -n {namespace} "
        '-p \'{"spec": {"selector": {"{selector_key}": "{selector_value}"}}}\'',
        make_edit("service", '.spec.selector["{selector_key}"] = "{selector_value}"'),
    ),
    targets=("needed", "served"),
)
