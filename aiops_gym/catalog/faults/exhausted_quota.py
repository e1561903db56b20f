"""The namespace may hold fewer pods than the application has: one that was deleted is not made again."""

from aiops_gym.catalog.model import Create, Fault, Restart
from aiops_gym.catalog.scripts import EVENTS, PODS, edited

QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "team-budget"},
    "spec": {"hard": {"pods": "10"}},
}

fault = Fault(
    id="exhausted_quota",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(Create(manifest=QUOTA, component=""), Restart(components=("{target}", "{service}"))),
    cause={"check": "quota", "component": "{target}", "service": "{service}"},
    looks=(PODS, EVENTS, "kubectl describe resourcequota -n {namespace}"),
    fixes=(
        "kubectl delete resourcequota team-budget -n {namespace}",
        'kubectl patch resourcequota team-budget -n {namespace} -p \'{"spec": {"hard": {"pods": "100"}}}\'',
        edited("resourcequota", "del(.spec.hard.pods)", name="team-budget"),
    ),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
)
