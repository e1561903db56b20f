"""A container is started with a command that its image does not have."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import CONTAINER, DESCRIBE, PODS, make_edit, make_patch

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
        make_patch("deployment", {"op": "replace", "path": f"{CONTAINER}/command", "value": "#{command}"}),
        make_edit("deployment", ".spec.template.spec.containers[0].command = {command}"),
    ),
    targets=("needed",),
)
