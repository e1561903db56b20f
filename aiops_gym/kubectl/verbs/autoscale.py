"""`kubectl autoscale`."""

from __future__ import annotations

from typing import Any

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.changes import prepare, read_dry_run, report
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.creation import FLAGS, make, new_object
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.output.structs import Struct
from aiops_gym.kubectl.targets import FILES, select
from aiops_gym.kubectl.verb import Invocation, Verb

KIND = "HorizontalPodAutoscaler"
SCALABLE = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")


def run(call: Invocation) -> int | None:
    """Create an autoscaler for a workload."""
    prepare(call)
    flags = call.flags
    least, most, percent = flags.number("min"), flags.number("max"), flags.number("cpu-percent")
    if most < 1:
        raise Failure(f"--max=MAXPODS is required and must be at least 1, max: {most}")
    if most < least:
        raise Failure(f"--max=MAXPODS must be larger or equal to --min=MINPODS, max: {most}, min: {least}")
    for info in select(call, call.args, filenames=flags.items("filename"), latest=True).infos():
        if info.resource.kind not in SCALABLE:
            which = f"{info.resource.group}/{info.resource.version}, Resource={info.resource.plural}"
            why = f"could not find scale subresource for {which} in discovery information"
            raise Failure(f"cannot autoscale a {info.resource.kind}: {why}")
        name = flags.text("name") or info.name
        target = {"apiVersion": info.resource.api_version, "kind": info.resource.kind, "name": info.name}
        spec: dict[str, Any] = {"maxReplicas": most, "scaleTargetRef": target}
        if least > 0:
            spec["minReplicas"] = least
        _make(call, name, spec, percent)
    return None


def _make(call: Invocation, name: str, spec: dict[str, Any], percent: int) -> None:
    """Create it; kubectl speaks autoscaling/v1, in which a dry run shows it."""
    if read_dry_run(call) == "client" and call.flags.text("output"):
        first = spec | ({"targetCPUUtilizationPercentage": percent} if percent >= 0 else {})
        status = {"currentReplicas": 0, "desiredReplicas": 0}
        shown = new_object("autoscaling/v1", KIND, name, spec=first, status=status)
        report(call, find_resource("horizontalpodautoscalers.autoscaling"), Struct(shown), "autoscaled")
        return
    if percent >= 0:
        goal = {"averageUtilization": percent, "type": "Utilization"}
        spec = {**spec, "metrics": [{"resource": {"name": "cpu", "target": goal}, "type": "Resource"}]}
    make(
        call,
        new_object("autoscaling/v2", KIND, name, spec=spec),
        operation="created" if read_dry_run(call) == "client" else "autoscaled",
        manager="kubectl-autoscale",
    )


verb = Verb(
    "autoscale",
    run,
    flags=(
        Flag("min", "int", default=-1, help="The lower limit for the number of pods."),
        Flag("max", "int", default=-1, help="The upper limit for the number of pods. Required."),
        Flag("cpu-percent", "int", default=-1, help="The target average CPU utilization over all the pods."),
        Flag("name", help="The name for the newly created object."),
        *FILES,
        *FLAGS,
    ),
    required=("max",),
    usage="autoscale (-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu-percent=CPU]",
    short="Auto-scale a deployment, replica set, stateful set, or replication controller",
)
