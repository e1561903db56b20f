"""A webhook makes new pods wait for a word that nobody says: they run and are well, and get no requests."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Fault, Restart, Script
from aiops_gym.catalog.platform import DEFAULTS, SPACE
from aiops_gym.catalog.scripts import AGAIN, PODS, make_rule

fault = Fault(
    id="gated_injector",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Script(
            script=make_rule(DEFAULTS, '.merge.spec.readinessGates = [{"conditionType": "mesh.io/synced"}]'),
            writes=(("configmaps", f"{SPACE}/{DEFAULTS}"),),
        ),
        Restart(components=("{target}", "{service}")),
    ),
    wait=90.0,
    cause=Cause(check=admitted, detail="readinessGates", service="{service}"),
    looks=(
        PODS,
        "kubectl get endpoints -n {namespace}",
        "kubectl get pods -n {namespace} -l {selector}={target} -o yaml",
        f"kubectl get configmap {DEFAULTS} -n {SPACE} -o yaml",
    ),
    fixes=(
        make_rule(DEFAULTS, "del(.merge.spec)") + AGAIN,
        make_rule(DEFAULTS, "del(.merge.spec.readinessGates)") + AGAIN,
    ),
    targets=("needed", "served"),
    tasks=("detection", "analysis", "mitigation"),
    features=("quiet", "recurring", "blocked"),
)
