"""A container's limit may be four times its request, and a webhook gives new ones sixteen times: none is let in."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Create, Fault, Restart
from aiops_gym.catalog.scripts import AGAIN, EVENTS, PODS, make_patch

RULE = {"type": "Container", "maxLimitRequestRatio": {"memory": "4"}}
RANGE = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "{range}"}, "spec": {"limits": [RULE]}}
RATIO = "/spec/limits/0/maxLimitRequestRatio"

fault = Fault(
    id="narrow_ratio",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(Create(manifest=RANGE, component=""), Restart(components=("{target}", "{service}"))),
    cause=Cause(check=admitted, service="{service}"),
    looks=(PODS, EVENTS, "kubectl describe limitranges -n {namespace}"),
    fixes=(
        "kubectl delete limitrange {range} -n {namespace}" + AGAIN,
        make_patch("limitrange", {"op": "remove", "path": RATIO}, name="{range}") + AGAIN,
    ),
    targets=("needed", "!limited"),
    tasks=("detection", "analysis", "mitigation"),
    features=("blocked",),
)
