"""A webhook lets new pods run as a user of their own, to whom a database's files do not belong: it cannot open them."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Fault, Restart, Script
from aiops_gym.catalog.platform import DEFAULTS, SPACE
from aiops_gym.catalog.scripts import AGAIN, DESCRIBE, PODS, make_rule

fault = Fault(
    id="foreign_user",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Network/Storage Issue"),),
    changes=(
        Script(
            script=make_rule(DEFAULTS, ".merge.spec.securityContext.runAsUser = 1000"),
            writes=(("configmaps", f"{SPACE}/{DEFAULTS}"),),
        ),
        Restart(components=("{target}", "{service}")),
    ),
    wait=90.0,
    cause=Cause(check=admitted, detail="securityContext.runAsUser", service="{service}"),
    looks=(
        PODS,
        DESCRIBE,
        "kubectl logs -n {namespace} deploy/{target} --tail=10",
        "kubectl get deploy {target} -n {namespace} -o jsonpath='{.spec.template.spec.securityContext}'",
        f"kubectl get configmap {DEFAULTS} -n {SPACE} -o yaml",
    ),
    fixes=(
        make_rule(DEFAULTS, "del(.merge.spec)") + AGAIN,
        make_rule(DEFAULTS, "del(.merge.spec.securityContext)") + AGAIN,
    ),
    targets=("needed", "claim"),
    tasks=("detection", "analysis", "mitigation"),
    features=("recurring", "blocked"),
)
