"""A NetworkPolicy lets only pods with a label that none has connect to a component."""

from aiops_gym.catalog.model import Cause, Create, Fault, Restart
from aiops_gym.catalog.scripts import PODS, make_patch
from aiops_gym.catalog.system import System

RULE = {"from": [{"podSelector": {"matchLabels": {"role": "{target}-client"}}}]}
POLICY = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "NetworkPolicy",
    "metadata": {"name": "{target}-{policy}"},
    "spec": {
        "podSelector": {"matchExpressions": [{"key": "{selector}", "operator": "In", "values": ["{target}"]}]},
        "policyTypes": ["Ingress"],
        "ingress": [RULE],
    },
}


def admitted(before: System, now: System, cause: Cause) -> str:
    """Each pod of those that called the component may connect to it, on each port on which it listens."""
    callers, ends = before.callers(cause.component) or now.components, now.listening(cause.component)
    pods = [pod for name in sorted(callers) for pod in now.pods(name)]
    closed = any(not now.lets_through(pod, *end) for pod in pods for end in ends)
    return f"packets to {cause.component} are not let through" if closed else ""


fault = Fault(
    id="blocking_network_policy",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Network/Storage Issue"),),
    changes=(Create(manifest=POLICY), Restart(components=("{service}",))),
    wait=90.0,
    cause=Cause(check=admitted, service="{service}"),
    looks=(PODS, "kubectl get networkpolicies -n {namespace}", "kubectl describe networkpolicies -n {namespace}"),
    fixes=(
        "kubectl delete networkpolicy {target}-{policy} -n {namespace}",
        make_patch(
            "networkpolicy", {"op": "replace", "path": "/spec/ingress", "value": [{}]}, name="{target}-{policy}"
        ),
        make_patch(
            "networkpolicy",
            {"op": "replace", "path": "/spec/ingress/0/from/0", "value": {"podSelector": {}}},
            name="{target}-{policy}",
        ),
    ),
    targets=("inner", "needed"),
    held_out=True,
)
