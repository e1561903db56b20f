"""The namespace may hold fewer pods than the application has: one that was deleted is not made again."""

from aiops_gym.catalog.model import Cause, Create, Fault, Restart
from aiops_gym.catalog.scripts import EVENTS, PODS, RENEW, RESTART_CLIENT, make_edit
from aiops_gym.catalog.system import System

QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "{quota}"},
    "spec": {"hard": {"pods": "10"}},
}

AT_ONCE = f"\n{RENEW}\n{RESTART_CLIENT}"
"""What was refused is tried again later and later; a new rollout tries at once."""


def roomy(before: System, now: System, cause: Cause) -> str:
    """The namespace may hold as many pods as the app has."""
    pods = sum(len(now.pods(name)) for name in now.components)
    low = [f"quota {name} allows {hard} of {pods} pods" for name, hard in now.quotas("pods").items() if hard < pods]
    return low[0] if low else ""


fault = Fault(
    id="exhausted_quota",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(Create(manifest=QUOTA, component=""), Restart(components=("{target}", "{service}"))),
    cause=Cause(check=roomy, service="{service}"),
    looks=(PODS, EVENTS, "kubectl describe resourcequota -n {namespace}"),
    fixes=(
        "kubectl delete resourcequota {quota} -n {namespace}" + AT_ONCE,
        'kubectl patch resourcequota {quota} -n {namespace} -p \'{"spec": {"hard": {"pods": "100"}}}\'' + AT_ONCE,
        make_edit("resourcequota", "del(.spec.hard.pods)", name="{quota}") + AT_ONCE,
    ),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
)
