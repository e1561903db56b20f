"""A container that names no limit gets the namespace's: hardly any processor, and its deployment says nothing of it."""

from aiops_gym.catalog.checks import headroom
from aiops_gym.catalog.model import Cause, Create, Fault, Patch, Restart
from aiops_gym.catalog.patches import UNLIMITED
from aiops_gym.catalog.scripts import PODS, RENEW, make_patch

RULE = {"type": "Container", "default": {"cpu": "10m"}, "defaultRequest": {"cpu": "5m"}}
RANGE = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "{range}"}, "spec": {"limits": [RULE]}}

fault = Fault(
    id="meagre_defaults",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(resource="deployments.apps", name="{target}", ops=UNLIMITED, recreate=True),
        Create(manifest=RANGE, component=""),
        Restart(components=("{target}",)),
    ),
    wait=120.0,
    cause=Cause(check=headroom),
    looks=(
        PODS,
        "kubectl top pods -n {namespace}",
        "kubectl get pods -n {namespace} -l {selector}={target} -o yaml | grep -A8 resources:",
        "kubectl describe limitranges -n {namespace}",
    ),
    fixes=(
        f"kubectl delete limitrange {{range}} -n {{namespace}}\n{RENEW}",
        make_patch("limitrange", {"op": "replace", "path": "/spec/limits/0/default/cpu", "value": "2"}, name="{range}")
        + f"\n{RENEW}",
        make_patch("limitrange", {"op": "remove", "path": "/spec/limits/0/default"}, name="{range}") + f"\n{RENEW}",
    ),
    targets=("asked", "working"),
    tasks=("detection", "analysis", "mitigation"),
    features=("quiet",),
)
