"""A pod's own hosts file says where the service lies that it needs most; the address is one of another cluster."""

from aiops_gym.catalog.checks import named
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import POD, PODS, make_edit, make_patch

ENTRIES = f"{POD}/hostAliases"
IP = "10.43.118.27"

fault = Fault(
    id="stale_host_entry",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Network/Storage Issue"),),
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": f"{ENTRIES}/-", "value": {"ip": IP, "hostnames": ["{callee}"]}},),
            recreate=True,
        ),
    ),
    wait=90.0,
    cause=Cause(check=named, detail="{callee}"),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl get service {callee} -n {namespace}",
        "kubectl get deploy {target} -n {namespace} -o jsonpath='{.spec.template.spec.hostAliases}'",
    ),
    fixes=(
        make_patch("deployment", "#{undo_hostAliases}"),
        make_edit("deployment", "{jq_hostAliases}"),
        "ip=$(kubectl get service {callee} -n {namespace} -o jsonpath='{.spec.clusterIP}')\n"
        "kubectl get deployment {target} -n {namespace} -o json | jq --arg ip $ip "
        f"'(.spec.template.spec.hostAliases[] | select(.ip == \"{IP}\")).ip = $ip' | kubectl replace -f -",
    ),
    targets=("asked", "callee"),
    held_out=True,
)
