"""A NetworkPolicy lets only pods with a label that none has connect to a component."""

from aiops_gym.catalog.model import Create, Fault, Restart
from aiops_gym.catalog.scripts import PODS, patched

RULE = {"from": [{"podSelector": {"matchLabels": {"role": "{target}-client"}}}]}
POLICY = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "NetworkPolicy",
    "metadata": {"name": "{target}-ingress"},
    "spec": {
        "podSelector": {"matchExpressions": [{"key": "{selector}", "operator": "In", "values": ["{target}"]}]},
        "policyTypes": ["Ingress"],
        "ingress": [RULE],
    },
}

fault = Fault(
    id="blocking_network_policy",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Network/Storage Issue"),),
    changes=(Create(manifest=POLICY), Restart(components=("{service}",))),
    wait=90.0,
    cause={"check": "admitted", "component": "{target}", "service": "{service}"},
    looks=(PODS, "kubectl get networkpolicies -n {namespace}", "kubectl describe networkpolicies -n {namespace}"),
    fixes=(
        "kubectl delete networkpolicy {target}-ingress -n {namespace}",
        patched("networkpolicy", {"op": "replace", "path": "/spec/ingress", "value": [{}]}, name="{target}-ingress"),
        patched(
            "networkpolicy",
            {"op": "replace", "path": "/spec/ingress/0/from/0", "value": {"podSelector": {}}},
            name="{target}-ingress",
        ),
    ),
    targets=("inner", "needed"),
    held_out=True,
)
