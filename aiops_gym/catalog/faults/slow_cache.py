"""A service looks for its cache at an address that is gone, and waits for it each time: all succeeds, and is slow."""

from aiops_gym.catalog.checks import named
from aiops_gym.catalog.faults import stale_host_entry
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import PODS, make_edit, make_patch

ENTRIES, IP = stale_host_entry.ENTRIES, "10.43.207.9"

fault = Fault(
    id="slow_cache",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=stale_host_entry.fault.also_accept,
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": f"{ENTRIES}/-", "value": {"ip": IP, "hostnames": ["{cache}"]}},),
            recreate=True,
        ),
    ),
    wait=120.0,
    cause=Cause(check=named, detail="{cache}"),
    looks=(
        PODS,
        "kubectl top pods -n {namespace}",
        "kubectl get service {cache} -n {namespace}",
        "kubectl get deploy {target} -n {namespace} -o jsonpath='{.spec.template.spec.hostAliases}'",
    ),
    fixes=(
        make_patch("deployment", "#{undo_hostAliases}"),
        make_edit("deployment", "{jq_hostAliases}"),
        "ip=$(kubectl get service {cache} -n {namespace} -o jsonpath='{.spec.clusterIP}')\n"
        "kubectl get deployment {target} -n {namespace} -o json | jq --arg ip $ip "
        f"'(.spec.template.spec.hostAliases[] | select(.ip == \"{IP}\")).ip = $ip' | kubectl replace -f -",
    ),
    targets=("asked", "callee", "cache"),
)
