"""A job that recurs gives a component next to no processor, to save: whoever gives it more sees it undone."""

from aiops_gym.catalog.checks import headroom
from aiops_gym.catalog.faults.night_shift import COMMAND, USUAL, spared
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import PODS, make_patch
from aiops_gym.catalog.system import System

SAVE = "kubectl set resources deployment/{target} --limits=cpu=10m --requests=cpu=5m"
AGAIN = "\nsleep 40\n" + make_patch("deployment", "#{undo_resources}")
"""A run that has begun does what it was told."""


def generous(before: System, now: System, cause: Cause) -> str:
    """The component may use what it needs, and no job says otherwise."""
    return spared(before, now, cause) or headroom(before, now, cause)


fault = Fault(
    id="thrifty_job",
    layer="Virtualization",
    kind="Operation Error",
    also_accept=(("Virtualization", "Misconfiguration"),),
    changes=(
        Patch(
            resource="cronjobs.batch",
            name="business-hours",
            component="{target}",
            ops=(
                {"op": "replace", "path": "/spec/schedule", "value": "*/2 * * * *"},
                {"op": "replace", "path": COMMAND, "value": SAVE},
            ),
        ),
    ),
    wait=260.0,
    cause=Cause(check=generous),
    looks=(
        PODS,
        "kubectl top pods -n {namespace}",
        "kubectl rollout history deployment/{target} -n {namespace}",
        "kubectl get cronjobs -n {namespace} -o yaml",
    ),
    fixes=(
        make_patch(
            "cronjob",
            {"op": "replace", "path": "/spec/schedule", "value": "0 6 * * *"},
            {"op": "replace", "path": COMMAND, "value": USUAL},
            name="business-hours",
        )
        + AGAIN,
        make_patch("cronjob", {"op": "replace", "path": COMMAND, "value": USUAL}, name="business-hours") + AGAIN,
    ),
    mends=(("deployments.apps", "{target}"),),
    targets=("asked", "working"),
    features=("recurring",),
)
