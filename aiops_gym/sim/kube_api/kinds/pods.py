"""Pods."""

from collections.abc import Callable

from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kube_api import standing
from aiops_gym.sim.kube_api.kind import AGE, NAME, Column, Kind
from aiops_gym.sim.kube_api.pods import admission, defaults, rules, summary

COLUMNS = (
    NAME,
    Column("Ready", description="The aggregate readiness state of this pod for accepting traffic."),
    Column("Status", description="The aggregate status of the containers in this pod."),
    Column(
        "Restarts",
        description="The number of times the containers in this pod have been restarted and when the last container in "
        "this pod has restarted.",
    ),
    AGE,
    Column("IP", 1, description="podIP address allocated to the pod. Routable at least within the cluster."),
    Column("Node", 1, description="NodeName indicates in which node this pod is scheduled."),
    Column("Nominated Node", 1, description="The node on which a preempting pod is to run."),
    Column("Readiness Gates", 1, description="The conditions that a pod's readiness waits for."),
)


def _text(*path: str) -> Callable[[Obj], str]:
    return lambda pod: str(get(pod, *path, default=""))


def _host_network(pod: Obj) -> str:
    return "true" if get(pod, "spec", "hostNetwork") else "false"


KINDS = (
    Kind(
        resource="pods",
        columns=COLUMNS,
        cells=summary.make_cells,
        default=defaults.set_pod_defaults,
        admit=admission.admit,
        validate=rules.validate_pod,
        validate_update=rules.validate_pod_update,
        validate_status=standing.pod,
        default_status=standing.same_addresses,
        status={},
        fields={
            "spec.nodeName": _text("spec", "nodeName"),
            "spec.restartPolicy": _text("spec", "restartPolicy"),
            "spec.schedulerName": _text("spec", "schedulerName"),
            "spec.serviceAccountName": _text("spec", "serviceAccountName"),
            "spec.hostNetwork": _host_network,
            "status.phase": _text("status", "phase"),
            "status.podIP": _text("status", "podIP"),
            "status.podIPs": _text("status", "podIP"),
            "status.nominatedNodeName": _text("status", "nominatedNodeName"),
        },
    ),
)
