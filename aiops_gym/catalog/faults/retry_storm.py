"""Callers try again so often that what once was slow stays overloaded by their attempts, long after it was slow."""

from aiops_gym.catalog.checks import unhurried
from aiops_gym.catalog.model import Cause, Effect, Fault, Patch
from aiops_gym.catalog.patches import limit_processor, set_variables
from aiops_gym.catalog.scripts import PODS

RETRIES = set_variables(GRPC_CLIENT_RETRIES="15", GRPC_CLIENT_TIMEOUT="300ms", GRPC_RETRY_BACKOFF="50ms")
"""What the caller is told: sixteen attempts come to twice of what the limit lets through."""

fault = Fault(
    id="retry_storm",
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
        Patch(resource="deployments.apps", name="{caller}", ops=RETRIES, recreate=True),
        Effect(kind="network_delay", component="{target}", params={"ms": 2_000, "seconds": 60}),
    ),
    wait=150.0,
    cause=Cause(check=unhurried, service="{caller}"),
    looks=(
        PODS,
        "kubectl top pods -n {namespace}",
        "kubectl logs -n {namespace} deploy/{caller} --tail=20",
        "kubectl get deploy {target} {caller} -n {namespace} -o yaml | grep -A12 -E 'env:|limits:'",
    ),
    fixes=(
        "kubectl set env deployment/{caller} -n {namespace} GRPC_CLIENT_RETRIES-",
        "kubectl set env deployment/{caller} -n {namespace} GRPC_RETRY_BUDGET=0.2",
        "kubectl set resources deployment/{target} -n {namespace} --limits=cpu=2",
    ),
    targets=("asked", "working", "retried"),
    tasks=("detection", "analysis", "mitigation"),
    features=("moving",),
)
