"""A container asks for more memory than any node has: its pod is never scheduled."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import CONTAINER, DESCRIBE, PODS, make_edit, make_patch

fault = Fault(
    id="oversized_request",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": f"{CONTAINER}/resources", "value": {"requests": {"memory": "512Gi"}}},),
            recreate=True,
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=template, service="{service}"),
    looks=(PODS, DESCRIBE, "kubectl describe nodes | grep -A8 '^Allocat'"),
    fixes=(
        make_patch("deployment", "#{undo_resources}"),
        "kubectl set resources deployment/{target} -n {namespace} --requests=memory=256Mi",
        make_edit("deployment", ".spec.template.spec.containers[0].resources = {}"),
    ),
    targets=("needed",),
)
