"""A readiness probe knocks at a port on which nobody listens: the pod runs and its Service leaves it out."""

from aiops_gym.catalog.checks import reached
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import CONTAINER, DESCRIBE, PODS, make_edit, make_patch

PROBE = {"tcpSocket": {"port": 18080}, "initialDelaySeconds": 5, "periodSeconds": 10}

fault = Fault(
    id="failing_readiness_probe",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": f"{CONTAINER}/readinessProbe", "value": PROBE},),
            recreate=True,
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=reached, service="{service}"),
    looks=(PODS, "kubectl get endpoints -n {namespace}", DESCRIBE),
    fixes=(
        make_patch("deployment", "#{undo_readinessProbe}"),
        make_edit("deployment", "{jq_readinessProbe}"),
        make_patch(
            "deployment",
            {"op": "replace", "path": f"{CONTAINER}/readinessProbe/tcpSocket/port", "value": "#{target_port}"},
        ),
    ),
    targets=("needed", "served", "targeted"),
)
