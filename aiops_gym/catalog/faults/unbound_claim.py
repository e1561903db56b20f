"""A deployment has been moved to a new claim of a storage class that does not exist: its pod waits for the volume."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Create, Fault, Patch, Restart
from aiops_gym.catalog.scripts import DESCRIBE, POD, PODS, make_edit, make_patch

NAME = f"{POD}/volumes/{{claim_index}}/persistentVolumeClaim/claimName"
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "{claim}-ssd"},
    "spec": {
        "storageClassName": "fast-ssd",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    },
}

fault = Fault(
    id="unbound_claim",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Network/Storage Issue"), ("Virtualization", "Dependency Problem")),
    changes=(
        Create(manifest=CLAIM),
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "replace", "path": NAME, "value": "{claim}-ssd"},),
            recreate=True,
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=template, service="{service}"),
    looks=(PODS, DESCRIBE, "kubectl get pvc,pv -n {namespace}"),
    fixes=(
        make_patch("deployment", {"op": "replace", "path": NAME, "value": "{claim}"}),
        make_edit(
            "deployment", '.spec.template.spec.volumes[{claim_index}].persistentVolumeClaim.claimName = "{claim}"'
        ),
    ),
    targets=("needed", "claim"),
)
