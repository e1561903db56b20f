"""A webhook gives new pods a limit of memory that is below what the component needs; its deployment names none."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Fault, Restart, Script
from aiops_gym.catalog.platform import DEFAULTS, SPACE
from aiops_gym.catalog.scripts import AGAIN, DESCRIBE, PODS, make_rule

LIMIT = ".resources.limits.memory"
TIGHT = '.resources = {"limits": {"memory": "{memory}"}, "requests": {"memory": "4Mi"}}'

fault = Fault(
    id="tight_injector",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Script(script=make_rule(DEFAULTS, TIGHT), writes=(("configmaps", f"{SPACE}/{DEFAULTS}"),)),
        Restart(components=("{target}", "{service}")),
    ),
    wait=120.0,
    cause=Cause(check=admitted, detail="containers.0.resources.limits", service="{service}"),
    looks=(
        PODS,
        DESCRIBE,
        "kubectl get deploy {target} -n {namespace} -o jsonpath='{.spec.template.spec.containers[0].resources}'",
        "kubectl get mutatingwebhookconfigurations -o yaml",
        f"kubectl get configmap {DEFAULTS} -n {SPACE} -o yaml",
    ),
    fixes=(
        make_rule(DEFAULTS, f'{LIMIT} = "1Gi"') + AGAIN,
        make_rule(DEFAULTS, '.resources = {"limits": {"memory": "1Gi"}, "requests": {"memory": "64Mi"}}') + AGAIN,
    ),
    targets=("asked", "sized", "!limited"),
    tasks=("detection", "analysis", "mitigation"),
    features=("recurring", "blocked"),
)
