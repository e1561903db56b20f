"""A NetworkPolicy lets a component talk to its namespace only: its questions to the name server get lost."""

from aiops_gym.catalog.checks import named
from aiops_gym.catalog.model import Cause, Create, Fault, Restart
from aiops_gym.catalog.scripts import PODS, make_patch

DNS = {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]}
POLICY = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "NetworkPolicy",
    "metadata": {"name": "{target}-{policy}"},
    "spec": {
        "podSelector": {"matchLabels": {"{selector}": "{target}"}},
        "policyTypes": ["Egress"],
        "egress": [{"to": [{"podSelector": {}}]}],
    },
}

fault = Fault(
    id="forgotten_dns",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Network/Storage Issue"),),
    changes=(Create(manifest=POLICY), Restart(components=("{target}",))),
    wait=90.0,
    cause=Cause(check=named, detail="kubernetes.default"),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl describe networkpolicies -n {namespace}",
    ),
    fixes=(
        "kubectl delete networkpolicy {target}-{policy} -n {namespace}",
        make_patch("networkpolicy", {"op": "add", "path": "/spec/egress/-", "value": DNS}, name="{target}-{policy}"),
        make_patch("networkpolicy", {"op": "replace", "path": "/spec/egress", "value": [{}]}, name="{target}-{policy}"),
    ),
    targets=("asked", "resolves"),
)
