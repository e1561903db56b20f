"""A webhook forbids new pods to run as root, and the images know no other user: no container of them starts."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Fault, Restart, Script
from aiops_gym.catalog.platform import DEFAULTS, SPACE
from aiops_gym.catalog.scripts import AGAIN, DESCRIBE, PODS, make_rule

fault = Fault(
    id="hardened_injector",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Script(
            script=make_rule(DEFAULTS, ".merge.spec.securityContext.runAsNonRoot = true"),
            writes=(("configmaps", f"{SPACE}/{DEFAULTS}"),),
        ),
        Restart(components=("{target}", "{service}")),
    ),
    wait=90.0,
    cause=Cause(check=admitted, detail="securityContext.runAsNonRoot", service="{service}"),
    looks=(
        PODS,
        DESCRIBE,
        "kubectl get pods -n {namespace} -l {selector}={target} -o yaml",
        f"kubectl get configmap {DEFAULTS} -n {SPACE} -o yaml",
    ),
    fixes=(
        make_rule(DEFAULTS, "del(.merge.spec)") + AGAIN,
        make_rule(DEFAULTS, "del(.merge.spec.securityContext.runAsNonRoot)") + AGAIN,
    ),
    targets=("needed", "!assigned"),
    tasks=("detection", "analysis", "mitigation"),
    features=("recurring", "blocked"),
)
