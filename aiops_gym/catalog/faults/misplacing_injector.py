"""A webhook sends new pods to a pool of nodes that there is not: they wait, and their deployment names no node."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Fault, Restart, Script
from aiops_gym.catalog.platform import DEFAULTS, SPACE
from aiops_gym.catalog.scripts import AGAIN, EVENTS, PODS, make_rule

fault = Fault(
    id="misplacing_injector",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Script(
            script=make_rule(DEFAULTS, '.merge.spec.nodeSelector = {"node-pool": "batch"}'),
            writes=(("configmaps", f"{SPACE}/{DEFAULTS}"),),
        ),
        Restart(components=("{target}", "{service}")),
    ),
    wait=90.0,
    cause=Cause(check=admitted, detail="nodeSelector", service="{service}"),
    looks=(
        PODS,
        EVENTS,
        "kubectl get pods -n {namespace} -l {selector}={target} -o yaml",
        f"kubectl get configmap {DEFAULTS} -n {SPACE} -o yaml",
    ),
    fixes=(
        make_rule(DEFAULTS, "del(.merge.spec)") + AGAIN,
        make_rule(DEFAULTS, "del(.merge.spec.nodeSelector)") + AGAIN,
    ),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
    features=("recurring", "blocked"),
)
