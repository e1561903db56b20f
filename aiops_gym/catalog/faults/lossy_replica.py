"""One of three pods of a component loses a part of its packets, which are sent again: a few requests take long."""

from aiops_gym.catalog.faults.slow_replica import THREE
from aiops_gym.catalog.model import Effect, Fault
from aiops_gym.catalog.scripts import PODS

fault = Fault(
    id="lossy_replica",
    layer="Virtualization",
    kind="Network/Storage Issue",
    changes=(THREE, Effect(kind="network_loss", component="{target}", params={"percent": 35, "correlation": 0})),
    wait=180.0,
    looks=(PODS, "kubectl top pods -n {namespace}", "kubectl get pods -n {namespace} -l {selector}={target} -o wide"),
    targets=("asked", "inner", "resolves", "!database", "!fragile"),
    tasks=("detection", "localization", "analysis"),
    held_out=True,
    features=("quiet",),
)
