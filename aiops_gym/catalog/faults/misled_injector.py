"""A webhook gives new pods the node's name server in place of the cluster's: they find no Service by its name."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Fault, Restart, Script
from aiops_gym.catalog.platform import DEFAULTS, SPACE
from aiops_gym.catalog.scripts import AGAIN, PODS, make_rule

fault = Fault(
    id="misled_injector",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Network/Storage Issue"),),
    changes=(
        Script(
            script=make_rule(DEFAULTS, '.merge.spec.dnsPolicy = "Default"'),
            writes=(("configmaps", f"{SPACE}/{DEFAULTS}"),),
        ),
        Restart(components=("{target}",)),
    ),
    wait=90.0,
    cause=Cause(check=admitted, detail="dnsPolicy"),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl get pods -n {namespace} -l {selector}={target} -o jsonpath='{.items[*].spec.dnsPolicy}'",
        f"kubectl get configmap {DEFAULTS} -n {SPACE} -o yaml",
    ),
    fixes=(
        make_rule(DEFAULTS, "del(.merge.spec)") + AGAIN,
        make_rule(DEFAULTS, '.merge.spec.dnsPolicy = "ClusterFirst"') + AGAIN,
    ),
    targets=("asked", "resolves"),
    tasks=("detection", "analysis", "mitigation"),
    features=("recurring", "blocked"),
)
