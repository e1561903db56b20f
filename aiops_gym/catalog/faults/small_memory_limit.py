"""A container may use less memory than its program needs: the kernel kills it as soon as it has grown."""

from aiops_gym.catalog.checks import headroom
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import CONTAINER, DESCRIBE, PODS, make_edit, make_patch

fault = Fault(
    id="small_memory_limit",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": f"{CONTAINER}/resources", "value": {"limits": {"memory": "{memory}"}}},),
            recreate=True,
        ),
    ),
    wait=120.0,
    cause=Cause(check=headroom),
    looks=(PODS, DESCRIBE),
    fixes=(
        make_patch("deployment", "#{undo_resources}"),
        "kubectl set resources deployment/{target} -n {namespace} --limits=memory={ample} --requests=memory={ample}",
        make_edit("deployment", ".spec.template.spec.containers[0].resources = {}"),
    ),
    targets=("asked", "sized"),
)
