"""Somebody scaled a deployment to nothing."""

from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.system import System


def replicated(before: System, now: System, cause: Cause) -> str:
    """The component has as many pods as it had."""
    name = cause.component
    return "" if len(now.pods(name)) >= len(before.pods(name)) else f"{name} has too few pods"


fault = Fault(
    id="scale_pods_to_zero",
    layer="Virtualization",
    kind="Operation Error",
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "replace", "path": "/spec/replicas", "value": 0},),
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=replicated, service="{service}", upstream="replicas"),
    looks=("kubectl get pods -n {namespace}", "kubectl get deployments -n {namespace}"),
    fixes=(
        "kubectl scale deployment {target} -n {namespace} --replicas={replicas}",
        'kubectl patch deployment {target} -n {namespace} -p \'{"spec": {"replicas": {replicas}}}\'',
        "kubectl get deployment {target} -n {namespace} -o json "
        "| jq '.spec.replicas = {more_replicas}' | kubectl apply -f -",
    ),
    targets=("needed",),
)
