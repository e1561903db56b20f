"""A budget counts limits of processors, and the application's pods name none: those that run stay, no new one comes."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Create, Fault, Patch, Restart
from aiops_gym.catalog.patches import UNLIMITED
from aiops_gym.catalog.scripts import AGAIN, EVENTS, PODS, make_edit

HARD = {"limits.cpu": "64", "pods": "120"}
QUOTA = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "{quota}"}, "spec": {"hard": HARD}}

fault = Fault(
    id="unmet_quota",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(resource="deployments.apps", name="{target}", ops=UNLIMITED, recreate=True),
        Create(manifest=QUOTA, component=""),
        Restart(components=("{target}", "{service}")),
    ),
    cause=Cause(check=admitted, service="{service}"),
    looks=(PODS, EVENTS, "kubectl describe resourcequotas -n {namespace}"),
    fixes=(
        make_edit("resourcequota", 'del(.spec.hard["limits.cpu"])', name="{quota}") + AGAIN,
        "kubectl delete resourcequota {quota} -n {namespace}" + AGAIN,
        'kubectl patch resourcequota {quota} -n {namespace} -p \'{"spec": {"hard": {"limits.cpu": null}}}\'' + AGAIN,
    ),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
    features=("blocked",),
)
