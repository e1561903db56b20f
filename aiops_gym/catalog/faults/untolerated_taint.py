"""The node for workloads has been tainted for a maintenance that is over: a pod that had to move finds no place."""

from aiops_gym.catalog.model import Fault, Patch, Restart
from aiops_gym.catalog.scripts import DESCRIBE, PODS

TAINT = {"key": "maintenance", "value": "planned", "effect": "NoSchedule"}
PLACE = "kubectl taint nodes {node}"

fault = Fault(
    id="untolerated_taint",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Operation Error"),),
    changes=(
        Patch(resource="nodes", name="{node}", ops=({"op": "add", "path": "/spec/taints", "value": [TAINT]},)),
        Restart(components=("{target}", "{service}")),
    ),
    cause={"check": "schedulable", "component": "{target}", "service": "{service}"},
    looks=(PODS, DESCRIBE, "kubectl describe nodes | grep -i taint"),
    fixes=(
        f"{PLACE} maintenance=planned:NoSchedule-",
        f"{PLACE} maintenance-",
        'kubectl patch node {node} --type=json -p \'[{"op": "remove", "path": "/spec/taints"}]\'',
    ),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
)
