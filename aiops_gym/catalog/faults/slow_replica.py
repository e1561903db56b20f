"""One of three pods of a component answers late, whichever it is: most requests never meet it, and none fails."""

from aiops_gym.catalog.model import Effect, Fault, Patch
from aiops_gym.catalog.scripts import PODS

THREE = Patch(
    resource="deployments.apps",
    name="{target}",
    ops=({"op": "replace", "path": "/spec/replicas", "value": 3},),
)

fault = Fault(
    id="slow_replica",
    layer="Virtualization",
    kind="Network/Storage Issue",
    changes=(THREE, Effect(kind="network_delay", component="{target}", params={"ms": 400, "jitter": 0})),
    wait=180.0,
    looks=(PODS, "kubectl top pods -n {namespace}", "kubectl get pods -n {namespace} -l {selector}={target} -o wide"),
    targets=("asked", "inner", "resolves", "!database"),
    tasks=("detection", "localization", "analysis"),
    features=("quiet",),
)
