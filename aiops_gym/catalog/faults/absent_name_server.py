"""The cluster's name servers are scaled to nothing: who has to look up a name waits for an answer in vain."""

from aiops_gym.catalog.checks import reached
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import PODS

SERVER = "deployment coredns -n kube-system"
COUNT = '[{"op": "replace", "path": "/spec/replicas", "value": 2}]'

fault = Fault(
    id="absent_name_server",
    layer="Virtualization",
    kind="Operation Error",
    also_accept=(("Virtualization", "Network/Storage Issue"), ("Virtualization", "Misconfiguration")),
    changes=(
        Patch(
            resource="deployments.apps",
            name="coredns",
            namespace="kube-system",
            ops=({"op": "replace", "path": "/spec/replicas", "value": 0},),
        ),
    ),
    wait=90.0,
    cause=Cause(check=reached),
    looks=(PODS, "kubectl get endpoints kube-dns -n kube-system", "kubectl get deployments,pods -n kube-system"),
    fixes=(
        f"kubectl scale {SERVER} --replicas=2\nkubectl rollout status {SERVER} --timeout=60s",
        f"kubectl patch {SERVER} --type=json -p '{COUNT}'\nkubectl rollout status {SERVER} --timeout=60s",
    ),
    targets=("asked", "served"),
    tasks=("detection", "analysis", "mitigation"),
    features=("quiet",),
)
