"""The node for workloads has been tainted for a maintenance that is over: a pod that had to move finds no place."""

from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import DESCRIBE, PODS
from aiops_gym.catalog.system import System

TAINT = {"key": "maintenance", "value": "planned", "effect": "NoSchedule"}
PLACE = "kubectl taint nodes {node}"


def schedulable(before: System, now: System, cause: Cause) -> str:
    """Every component is tolerated by a node that took its pods before: not by one that is there for other work."""
    nodes = {node["metadata"]["name"] for node in now.objects("nodes") if not node["spec"].get("unschedulable")}
    homeless = [name for name in now.components if not nodes & now.tolerated(name) & before.tolerated(name)]
    return f"no node takes pods of {', '.join(homeless)}" if homeless else ""


fault = Fault(
    id="untolerated_taint",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Operation Error"),),
    changes=(
        Patch(resource="nodes", name="{node}", ops=({"op": "add", "path": "/spec/taints/-", "value": TAINT},)),
        Restart(components=("{target}", "{service}")),
    ),
    cause=Cause(check=schedulable, service="{service}"),
    looks=(PODS, DESCRIBE, "kubectl describe nodes | grep -i taint"),
    fixes=(
        f"{PLACE} maintenance=planned:NoSchedule-",
        f"{PLACE} maintenance-",
        "kubectl patch node {node} --type=json -p '[{undo_taints}]'",
    ),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
)
