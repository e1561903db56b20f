"""Callers give up connections before a busy server has accepted them: after a restart it accepts none in time."""

from aiops_gym.catalog.checks import unhurried
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.patches import limit_processor, set_variables
from aiops_gym.catalog.scripts import PODS

fault = Fault(
    id="thundering_restart",
    layer="Application",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Misconfiguration"), ("Application", "Dependency Problem")),
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=limit_processor("{tight}"),
            recreate=True,
        ),
        Patch(
            resource="deployments.apps",
            name="{caller}",
            ops=set_variables(GRPC_CONNECT_TIMEOUT="1s"),
            recreate=True,
        ),
        Restart(components=("{target}",)),
    ),
    wait=150.0,
    cause=Cause(check=unhurried, service="{caller}"),
    looks=(
        PODS,
        "kubectl top pods -n {namespace}",
        "kubectl get deploy {target} {caller} -n {namespace} -o yaml | grep -A12 -E 'env:|limits:'",
    ),
    fixes=(
        "kubectl set env deployment/{caller} -n {namespace} GRPC_CONNECT_TIMEOUT-",
        "kubectl set resources deployment/{target} -n {namespace} --limits=cpu=2",
    ),
    targets=("asked", "working", "retried"),
    tasks=("detection", "analysis", "mitigation"),
    features=("moving",),
)
