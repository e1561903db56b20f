"""`kubectl autoscale`."""

from __future__ import annotations

from typing import Any

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.changes import read_dry_run
from aiops_gym.kubectl.creation import DERIVING, make, new_object
from aiops_gym.kubectl.errors import Failure, Failures
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import FILES, select
from aiops_gym.kubectl.verb import Invocation, Verb

KIND = "HorizontalPodAutoscaler"
SCALABLE = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")


def run(call: Invocation) -> int | None:
    """Create an autoscaler for a workload."""
    read_dry_run(call)
    flags = call.flags
    least, most, percent = flags.number("min"), flags.number("max"), flags.number("cpu-percent")
    if most < 1:
        raise Failure(f"--max=MAXPODS is required and must be at least 1, max: {most}")
    if most < least:
        raise Failure(f"--max=MAXPODS must be larger or equal to --min=MINPODS, max: {most}, min: {least}")

    def put(info: Info) -> None:
        if info.resource.kind not in SCALABLE:
            which = f"{info.resource.group}/{info.resource.version}, Resource={info.resource.plural}"
            why = f"could not find scale subresource for {which} in discovery information"
            raise Failure(f"cannot autoscale a {info.resource.kind}: {why}")
        target = {"apiVersion": info.resource.api_version, "kind": info.resource.kind, "name": info.name}
        spec: dict[str, Any] = {"maxReplicas": most, "scaleTargetRef": target}
        if least > 0:
            spec["minReplicas"] = least
        _make(call, flags.text("name") or info.name, spec, percent)

    errors = select(call, call.args).each(put)
    if errors:
        raise Failures(errors)
    return None


def _make(call: Invocation, name: str, spec: dict[str, Any], percent: int) -> None:
    """Create it; kubectl speaks autoscaling/v1."""
    if percent >= 0:
        spec["targetCPUUtilizationPercentage"] = percent
    dry = read_dry_run(call) == "client"
    made = new_object("autoscaling/v1", KIND, name, spec=spec, status={"currentReplicas": 0, "desiredReplicas": 0})
    make(call, made, operation="created" if dry and not call.flags.text("output") else "autoscaled", manager=MANAGER)


MANAGER = "kubectl-autoscale"
verb = Verb(
    "autoscale",
    run,
    flags=(
        Flag("min", "int", default=-1, help="The lower limit for the number of pods."),
        Flag("max", "int", default=-1, help="The upper limit for the number of pods. Required."),
        Flag("cpu-percent", "int", default=-1, help="The target average CPU utilization over all the pods."),
        Flag("name", help="The name for the newly created object."),
        *FILES,
        *DERIVING,
    ),
    required=("max",),
    usage="autoscale (-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu-percent=CPU]",
    short="Auto-scale a deployment, replica set, stateful set, or replication controller",
)
