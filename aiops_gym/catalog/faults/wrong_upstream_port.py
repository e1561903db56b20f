"""A service's settings say a wrong port of another one that it needs: all pods are well, and it finds nobody."""

from aiops_gym.catalog.checks import connected
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import PODS, make_resetting, reset_value

fault = Fault(
    id="wrong_upstream_port",
    layer="Application",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="configmaps",
            name="{target}",
            ops=({"op": "replace", "path": "/data/{file}", "value": "{misled}"},),
        ),
        Restart(components=("{target}",)),
    ),
    wait=90.0,
    cause=Cause(check=connected, detail="{callee}"),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl get services -n {namespace}",
        "kubectl get configmap {target} -n {namespace} -o yaml | grep {callee}",
    ),
    fixes=(
        make_resetting("{wrong_callee_port}", "{callee_port}"),
        reset_value('.["{callee}"].port', "{callee_port}"),
    ),
    targets=("asked", "misled"),
)
