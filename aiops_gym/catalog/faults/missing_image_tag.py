"""A deployment asks for a tag of its image that the registry does not have."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import CONTAINER, DESCRIBE, PODS, make_patch

fault = Fault(
    id="missing_image_tag",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Dependency Problem"),),
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "replace", "path": f"{CONTAINER}/image", "value": "{repository}:release-1.4"},),
            recreate=True,
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=template, service="{service}"),
    looks=(PODS, DESCRIBE, "kubectl get deploy -n {namespace} -o wide"),
    fixes=(
        "kubectl set image deployment/{target} -n {namespace} {container}={image}",
        make_patch("deployment", {"op": "replace", "path": f"{CONTAINER}/image", "value": "{image}"}),
    ),
    targets=("needed",),
)
