"""A job that recurs scales a component to nothing: it was meant for the night, and for something else."""

import json

from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import PODS, make_patch
from aiops_gym.catalog.system import System

COMMAND = "/spec/jobTemplate/spec/template/spec/containers/0/command/2"
USUAL = "kubectl scale deployment/jaeger --replicas=1"
UP = "kubectl scale deployment/{target} -n {namespace} --replicas={replicas}"


def spared(before: System, now: System, cause: Cause) -> str:
    """No job that recurs says anything of the component."""
    told = [each for each in now.objects("cronjobs.batch") if not each["spec"].get("suspend")]
    about = [each for each in told if f"deployment/{cause.component} " in json.dumps(each["spec"]["jobTemplate"])]
    return f"the job {about[0]['metadata']['name']} scales {cause.component}" if about else ""


fault = Fault(
    id="night_shift",
    layer="Virtualization",
    kind="Operation Error",
    also_accept=(("Virtualization", "Misconfiguration"),),
    changes=(
        Patch(
            resource="cronjobs.batch",
            name="business-hours",
            component="{target}",
            ops=(
                {"op": "replace", "path": "/spec/schedule", "value": "*/3 * * * *"},
                {"op": "replace", "path": COMMAND, "value": "kubectl scale deployment/{target} --replicas=0"},
            ),
        ),
    ),
    wait=260.0,
    cause=Cause(check=spared),
    looks=(PODS, "kubectl get deployments,cronjobs,jobs -n {namespace}", "kubectl get cronjobs -n {namespace} -o yaml"),
    fixes=(
        make_patch(
            "cronjob",
            {"op": "replace", "path": "/spec/schedule", "value": "0 6 * * *"},
            {"op": "replace", "path": COMMAND, "value": USUAL},
            name="business-hours",
        )
        + f"\n{UP}",
        make_patch("cronjob", {"op": "replace", "path": COMMAND, "value": USUAL}, name="business-hours") + f"\n{UP}",
    ),
    mends=(("deployments.apps", "{target}"),),
    targets=("asked",),
    features=("recurring",),
)
