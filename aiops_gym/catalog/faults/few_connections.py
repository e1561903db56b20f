"""A database takes fewer connections than its clients keep: who came late is turned away, and comes again."""

from aiops_gym.catalog.checks import answered
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import CONTAINER, PODS, make_edit, make_patch
from aiops_gym.catalog.system import System

ASK = "SELECT count(*) FROM pg_stat_activity"


def roomy(before: System, now: System, cause: Cause) -> str:
    """The database takes one more connection of the user, the cause's `detail`, than its clients keep."""
    argv = ("psql", "-U", cause.detail, "-d", "postgres", "-c", ASK)
    return answered(now, cause.component, argv, "(1 row)", f"{cause.component} takes no more connections")


fault = Fault(
    id="few_connections",
    layer="Application",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": f"{CONTAINER}/args", "value": ["postgres", "-c", "max_connections=4"]},),
            recreate=True,
        ),
    ),
    wait=90.0,
    cause=Cause(check=roomy, detail="{user}"),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl exec -n {namespace} deploy/{target} --pod-running-timeout=5s -- psql -U {owner} -d postgres "
        "-c 'SHOW max_connections'",
        "kubectl get deploy {target} -n {namespace} -o jsonpath='{.spec.template.spec.containers[0].args}'",
    ),
    fixes=(
        make_patch("deployment", "#{undo_args}"),
        make_edit("deployment", "{jq_args}"),
        make_patch(
            "deployment",
            {"op": "replace", "path": f"{CONTAINER}/args", "value": ["postgres", "-c", "max_connections={slots}"]},
        ),
    ),
    targets=("asked", "slots"),
)
