"""A controller keeps a NetworkPolicy in place that closes a component: whoever deletes it sees it again in minutes."""

import json

import yaml

from aiops_gym.catalog.faults import blocking_network_policy
from aiops_gym.catalog.model import Cause, Fault, Script
from aiops_gym.catalog.scripts import PODS, RESYNC, make_edit, make_patch
from aiops_gym.catalog.system import System
from aiops_gym.types import Json

KIND, NAME, MAP = "networkpolicies.networking.k8s.io", "{target}-ingress", "config-sync"
POLICY: Json = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "NetworkPolicy",
    "metadata": {"name": NAME},
    "spec": {"podSelector": {"matchLabels": {"{selector}": "{target}"}}, "policyTypes": ["Ingress"], "ingress": []},
}
ADD = json.dumps([{"op": "add", "path": "/data/{target}.yaml", "value": json.dumps(POLICY)}])
DELETE = f"{RESYNC}\nkubectl delete networkpolicy {NAME} -n {{namespace}}"
OPENED = json.dumps({**POLICY, "spec": {**POLICY["spec"], "ingress": [{}]}})


def opened(before: System, now: System, cause: Cause) -> str:
    """Nobody keeps clients from the component, and nobody is told to."""
    told = (now.object("configmaps", MAP) or {}).get("data") or {}
    kept = [yaml.safe_load(text) or {} for text in told.values()] if now.object("deployments.apps", MAP) else []
    if any(each.get("kind") == "NetworkPolicy" and not each["spec"].get("ingress") for each in kept):
        return f"{MAP} puts the policy back"
    return blocking_network_policy.admitted(before, now, cause)


fault = Fault(
    id="stubborn_policy",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Network/Storage Issue"),),
    changes=(
        Script(
            script=f"""kubectl patch configmap {MAP} -n {{namespace}} --type=json -p '{ADD}'
kubectl set env deployment/{MAP} -n {{namespace}} INTERVAL=90""",
            writes=(("configmaps", MAP), ("deployments.apps", MAP)),
            component="{target}",
        ),
    ),
    wait=150.0,
    cause=Cause(check=opened),
    looks=(PODS, "kubectl describe networkpolicies -n {namespace}", f"kubectl logs -n {{namespace}} deploy/{MAP}"),
    fixes=(
        make_patch("configmap", {"op": "remove", "path": "/data/{target}.yaml"}, name=MAP) + f"\n{DELETE}",
        make_edit("configmap", 'del(.data["{target}.yaml"])', name=MAP) + f"\n{DELETE}",
        make_patch("configmap", {"op": "replace", "path": "/data/{target}.yaml", "value": OPENED}, name=MAP)
        + f"\n{RESYNC}\n"
        + make_patch("networkpolicy", {"op": "replace", "path": "/spec/ingress", "value": [{}]}, name=NAME),
    ),
    mends=((KIND, NAME),),
    targets=("asked", "inner"),
    features=("recurring",),
)
