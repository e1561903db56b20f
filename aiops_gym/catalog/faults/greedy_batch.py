"""A batch job wants a node without a component beside it, and ranks higher: it pushes the component out, and again."""

from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import EVENTS, PODS, RENEW, RESTART_CLIENT, make_patch
from aiops_gym.catalog.system import System

POD = "/spec/jobTemplate/spec/template/spec"
MINE = {"labelSelector": {"matchLabels": {"{selector}": "{target}"}}, "topologyKey": "kubernetes.io/hostname"}
AFFINITY = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [MINE]}}
JOBS = "kubectl get jobs -n {namespace} -o name | grep usage-report | xargs kubectl delete -n {namespace}"
AFTER = f"\n{JOBS}\n{RENEW}\n{RESTART_CLIENT}"
RANK, PLACE = f"{POD}/priorityClassName", f"{POD}/affinity"


def modest(before: System, now: System, cause: Cause) -> str:
    """No job that recurs ranks above the application."""
    ranks = {each["metadata"]["name"]: int(each["value"]) for each in now.objects("priorityclasses.scheduling.k8s.io")}
    for job in now.objects("cronjobs.batch"):
        rank = job["spec"]["jobTemplate"]["spec"]["template"]["spec"].get("priorityClassName")
        if ranks.get(rank, 0) > 0 and not job["spec"].get("suspend"):
            return f"the job {job['metadata']['name']} may push others aside"
    return ""


fault = Fault(
    id="greedy_batch",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Operation Error"),),
    changes=(
        Patch(
            resource="cronjobs.batch",
            name="usage-report",
            component="{target}",
            ops=(
                {"op": "replace", "path": "/spec/schedule", "value": "* * * * *"},
                {"op": "replace", "path": RANK, "value": "urgent"},
                {"op": "add", "path": PLACE, "value": AFFINITY},
                {"op": "replace", "path": f"{POD}/containers/0/command/2", "value": "sleep 100"},
            ),
        ),
    ),
    wait=150.0,
    cause=Cause(check=modest, service="{service}"),
    looks=(PODS, EVENTS, "kubectl get cronjobs,jobs,priorityclasses -n {namespace}"),
    fixes=(
        make_patch(
            "cronjob",
            {"op": "replace", "path": RANK, "value": "batch"},
            {"op": "remove", "path": PLACE},
            name="usage-report",
        )
        + AFTER,
        make_patch("cronjob", {"op": "remove", "path": RANK}, {"op": "remove", "path": PLACE}, name="usage-report")
        + AFTER,
    ),
    targets=("asked",),
    tasks=("detection", "analysis", "mitigation"),
    features=("moving", "recurring"),
)
