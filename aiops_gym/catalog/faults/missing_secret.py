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
            ops=({"op": "add", "path": SOURCE, "value": [{"secretRef": {"name": "{target}-credentials"}}]},),
            recreate=True,
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=template, service="{service}"),
    looks=(PODS, DESCRIBE, "kubectl get secrets -n {namespace}"),
    fixes=(
        make_patch("deployment", {"op": "remove", "path": SOURCE}),
        make_edit("deployment", "del(.spec.template.spec.containers[0].envFrom)"),
        "kubectl create secret generic {target}-credentials -n {namespace} --from-literal=username={target}",
    ),
    targets=("needed",),
)
