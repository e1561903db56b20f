"""A new release keeps memory that it does not need: it grows until its limit, ends, and begins anew."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.platform import NEXT
from aiops_gym.catalog.scripts import CONTAINER, DESCRIBE, PODS, make_patch

IMAGE, SIZE = f"{CONTAINER}/image", f"{CONTAINER}/resources"
LIMITS = {"requests": {"cpu": "50m", "memory": "24Mi"}, "limits": {"memory": "32Mi"}}

fault = Fault(
    id="leaking_release",
    layer="Application",
    kind="Code Defect",
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=(
                {"op": "replace", "path": IMAGE, "value": f"{{repository}}:{NEXT}"},
                {"op": "add", "path": SIZE, "value": LIMITS},
            ),
        ),
    ),
    wait=240.0,
    cause=Cause(check=template),
    looks=(
        PODS,
        DESCRIBE,
        "kubectl rollout history deployment/{target} -n {namespace}",
        "kubectl get deploy -n {namespace} -o wide",
    ),
    fixes=(
        "kubectl rollout undo deployment/{target} -n {namespace}",
        "kubectl set image deployment/{target} -n {namespace} {container}={image}\n"
        + make_patch("deployment", "#{undo_resources}"),
        make_patch("deployment", {"op": "replace", "path": IMAGE, "value": "{image}"}, "#{undo_resources}"),
    ),
    targets=("asked", "executable"),
    features=("moving", "recurring"),
)
