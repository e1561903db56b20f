"""A pod of somebody's debugging bears a component's labels: its Service sends it requests, and nobody listens there."""

from aiops_gym.catalog.checks import reached
from aiops_gym.catalog.model import Cause, Create, Fault, Restart
from aiops_gym.catalog.scripts import PODS

CONTAINER = {"name": "toolbox", "image": "busybox:1.36", "command": ["sleep", "infinity"]}
TOOLBOX = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "toolbox"},
    "spec": {
        "selector": {"matchLabels": {"run": "toolbox"}},
        "template": {"metadata": {"labels": "#{stray_labels}"}, "spec": {"containers": [CONTAINER]}},
    },
}
UNMARKED = '[{"op": "remove", "path": "/spec/template/metadata/labels/{selector_step}"}]'

fault = Fault(
    id="stray_pod",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(Create(manifest=TOOLBOX), Restart(components=("{service}",))),
    wait=90.0,
    cause=Cause(check=reached, service="{service}"),
    looks=(
        PODS,
        "kubectl get endpoints -n {namespace}",
        "kubectl get pods -n {namespace} -l {selector_key}={selector_value} --show-labels",
    ),
    fixes=(
        "kubectl delete deployment toolbox -n {namespace}",
        "kubectl scale deployment toolbox -n {namespace} --replicas=0",
        f"kubectl patch deployment toolbox -n {{namespace}} --type=json -p '{UNMARKED}'",
    ),
    mends=(("services", "{target}"), ("deployments.apps", "{target}")),
    targets=("asked", "served", "!database"),
)
