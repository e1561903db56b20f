"""A container is started with a command that its image does not have."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import CONTAINER, DESCRIBE, PODS, edited, patched

fault = Fault(
    id="wrong_command",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": f"{CONTAINER}/command", "value": ["start-{target}"]},),
            recreate=True,
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=template, service="{service}"),
    looks=(PODS, DESCRIBE),
    fixes=(
        patched("deployment", {"op": "replace", "path": f"{CONTAINER}/command", "value": "#{command}"}),
        edited("deployment", ".spec.template.spec.containers[0].command = {command}"),
    ),
    targets=("needed",),
)
