"""Somebody has deleted a deployment, and a finalizer that nobody serves holds it: its pods are gone, it stays."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Script
from aiops_gym.catalog.scripts import EVENTS, PODS

HOLD = '[{"op": "add", "path": "/metadata/finalizers", "value": ["backup.corp.example/archived"]}]'
FREE = '[{"op": "remove", "path": "/metadata/finalizers"}]'
WORKLOAD = "deployment {target} -n {namespace}"
FRESH = "{apiVersion, kind, spec, metadata: (.metadata | {name, namespace, labels, annotations})}"
KEEP = f"kubectl get {WORKLOAD} -o json | jq '{FRESH}' > kept.json"

fault = Fault(
    id="held_deletion",
    layer="Virtualization",
    kind="Operation Error",
    also_accept=(("Virtualization", "Misconfiguration"),),
    changes=(
        Script(
            script=f"kubectl patch {WORKLOAD} --type=json -p '{HOLD}'\n"
            f"kubectl delete {WORKLOAD} --cascade=foreground --wait=false",
            writes=(("deployments.apps", "{target}"),),
            component="{target}",
        ),
    ),
    cause=Cause(check=template, service="{service}"),
    looks=(PODS, EVENTS, f"kubectl get {WORKLOAD} -o yaml"),
    fixes=(
        f"{KEEP}\nkubectl patch {WORKLOAD} --type=json -p '{FREE}'\nsleep 5\nkubectl create -f kept.json",
        f'{KEEP}\nkubectl patch {WORKLOAD} --type=merge -p \'{{"metadata": {{"finalizers": null}}}}\'\nsleep 5\n'
        "kubectl apply -f kept.json",
        f"{KEEP}\nkubectl get {WORKLOAD} -o json | jq 'del(.metadata.finalizers)' | kubectl replace -f -\nsleep 5\n"
        "kubectl create -f kept.json",
    ),
    targets=("asked", "!database"),
    features=("blocked",),
)
