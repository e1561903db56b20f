"""A new release serves the next version of its interface alone: it runs and is well, and knows nothing it is asked."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.platform import MAJOR
from aiops_gym.catalog.scripts import CONTAINER, PODS, make_patch

IMAGE = f"{CONTAINER}/image"

fault = Fault(
    id="renamed_release",
    layer="Application",
    kind="Code Defect",
    also_accept=(("Application", "Dependency Problem"), ("Virtualization", "Operation Error")),
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "replace", "path": IMAGE, "value": f"{{repository}}:{MAJOR}"},),
        ),
    ),
    wait=90.0,
    cause=Cause(check=template),
    looks=(
        PODS,
        "kubectl rollout history deployment/{target} -n {namespace}",
        "kubectl get deploy -n {namespace} -o wide",
    ),
    fixes=(
        "kubectl rollout undo deployment/{target} -n {namespace}",
        "kubectl set image deployment/{target} -n {namespace} {container}={image}",
        make_patch("deployment", {"op": "replace", "path": IMAGE, "value": "{image}"}),
    ),
    targets=("asked", "inner", "executable"),
    features=("quiet",),
)
