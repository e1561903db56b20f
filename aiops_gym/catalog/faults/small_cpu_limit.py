"""A container may use so little of a processor that each request waits for its share."""

from aiops_gym.catalog.checks import headroom
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import CONTAINER, PODS, make_patch

SMALL = {"limits": {"cpu": "10m"}, "requests": {"cpu": "10m"}}
BIG = {"limits": {"cpu": "1"}, "requests": {"cpu": "100m"}}

fault = Fault(
    id="small_cpu_limit",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": f"{CONTAINER}/resources", "value": SMALL},),
            recreate=True,
        ),
    ),
    wait=120.0,
    cause=Cause(check=headroom),
    looks=(
        PODS,
        "kubectl top pods -n {namespace}",
        "kubectl get deploy -n {namespace} "
        "-o custom-columns=NAME:.metadata.name,CPU:.spec.template.spec.containers[*].resources.limits.cpu",
    ),
    fixes=(
        make_patch("deployment", "#{undo_resources}"),
        "kubectl set resources deployment/{target} -n {namespace} --limits=cpu=1 --requests=cpu=100m",
        make_patch("deployment", {"op": "replace", "path": f"{CONTAINER}/resources", "value": BIG}),
    ),
    targets=("asked", "working"),
)
