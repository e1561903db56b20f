"""A liveness probe knocks at a port on which nobody listens: a healthy container is killed again and again."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import CONTAINER, DESCRIBE, PODS, make_edit, make_patch

PROBE = {"tcpSocket": {"port": 18080}, "initialDelaySeconds": 3, "periodSeconds": 5, "failureThreshold": 2}

fault = Fault(
    id="failing_liveness_probe",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": f"{CONTAINER}/livenessProbe", "value": PROBE},),
            recreate=True,
        ),
    ),
    wait=210.0,
    cause=Cause(check=template),
    looks=(PODS, DESCRIBE),
    fixes=(
        make_patch("deployment", "#{undo_livenessProbe}"),
        make_edit("deployment", "{jq_livenessProbe}"),
        make_patch(
            "deployment",
            {"op": "replace", "path": f"{CONTAINER}/livenessProbe/tcpSocket/port", "value": "#{target_port}"},
        ),
    ),
    targets=("asked", "targeted"),
)
