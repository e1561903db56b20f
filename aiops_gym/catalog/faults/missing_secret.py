"""A deployment takes its environment from a Secret that nobody has created: its container is never made."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import CONTAINER, DESCRIBE, PODS, make_edit, make_patch

SOURCE = f"{CONTAINER}/envFrom"

fault = Fault(
    id="missing_secret",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Dependency Problem"),),
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": f"{SOURCE}/-", "value": {"secretRef": {"name": "{target}-{secret_name}"}}},),
            recreate=True,
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=template, service="{service}"),
    looks=(PODS, DESCRIBE, "kubectl get secrets -n {namespace}"),
    fixes=(
        make_patch("deployment", "#{undo_envFrom}"),
        make_edit("deployment", "{jq_envFrom}"),
        "kubectl create secret generic {target}-{secret_name} -n {namespace} --from-literal=username={target}",
    ),
    targets=("needed",),
)
