"""A job that tidies up deletes the pods of a component, each minute: it was meant for those that have failed."""

import json

from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.platform import LEFT
from aiops_gym.catalog.scripts import EVENTS, PODS, make_patch
from aiops_gym.catalog.system import System

COMMAND = "/spec/jobTemplate/spec/template/spec/containers/0/command/2"
USUAL = f"kubectl delete pods {LEFT}"
WIDE = "for i in 1 2 3; do kubectl delete pods -l {selector}={target} --wait=false; sleep 15; done"
JOB = "stale-pods"


def selective(before: System, now: System, cause: Cause) -> str:
    """No job that recurs deletes pods that have not failed."""
    told = [each for each in now.objects("cronjobs.batch") if not each["spec"].get("suspend")]
    words = ((each["metadata"]["name"], json.dumps(each["spec"]["jobTemplate"])) for each in told)
    wide = [name for name, text in words if "delete pods" in text and LEFT not in text]
    return f"the job {wide[0]} deletes pods that run" if wide else ""


fault = Fault(
    id="eager_cleanup",
    layer="Virtualization",
    kind="Operation Error",
    also_accept=(("Virtualization", "Misconfiguration"),),
    changes=(
        Patch(
            resource="cronjobs.batch",
            name=JOB,
            component="{target}",
            ops=(
                {"op": "replace", "path": "/spec/schedule", "value": "* * * * *"},
                {"op": "replace", "path": COMMAND, "value": WIDE},
            ),
        ),
    ),
    wait=150.0,
    cause=Cause(check=selective),
    looks=(PODS, EVENTS, "kubectl get cronjobs -n {namespace} -o yaml"),
    fixes=(
        make_patch(
            "cronjob",
            {"op": "replace", "path": "/spec/schedule", "value": "41 */6 * * *"},
            {"op": "replace", "path": COMMAND, "value": USUAL},
            name=JOB,
        ),
        make_patch("cronjob", {"op": "replace", "path": COMMAND, "value": USUAL}, name=JOB),
    ),
    targets=("asked", "!database"),
    features=("quiet", "recurring"),
)
