"""A second container copies logs into a volume that nobody empties: the pod is evicted when it is full, and again."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import DESCRIBE, POD, PODS, make_edit, make_patch

SCRIPT = "while true; do dd if=/dev/zero of=/spool/$(date +%s).log bs=1M count=16 2>/dev/null; sleep 9; done"
SIDECAR = {
    "name": "log-copy",
    "image": "busybox:1.36",
    "command": ["sh", "-c", SCRIPT],
    "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
    "volumeMounts": [{"name": "spool", "mountPath": "/spool"}],
}

fault = Fault(
    id="filling_sidecar",
    layer="Virtualization",
    kind="Network/Storage Issue",
    also_accept=(("Virtualization", "Misconfiguration"), ("Application", "Code Defect")),
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=(
                {"op": "add", "path": f"{POD}/containers/-", "value": SIDECAR},
                {
                    "op": "add",
                    "path": f"{POD}/volumes/-",
                    "value": {"name": "spool", "emptyDir": {"sizeLimit": "64Mi"}},
                },
            ),
        ),
    ),
    wait=150.0,
    cause=Cause(check=template),
    looks=(PODS, DESCRIBE, "kubectl get deploy {target} -n {namespace} -o yaml"),
    fixes=(
        "kubectl rollout undo deployment/{target} -n {namespace}",
        make_edit("deployment", 'del(.spec.template.spec.containers[] | select(.name == "log-copy")) | {jq_volumes}'),
        make_patch("deployment", {"op": "remove", "path": f"{POD}/containers/1"}, "#{undo_volumes}"),
    ),
    targets=("asked", "!database"),
    features=("moving", "recurring"),
)
