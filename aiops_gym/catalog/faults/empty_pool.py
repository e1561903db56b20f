"""A service may keep no connection to another one, as somebody took 0 for no limit: each request waits for one."""

from aiops_gym.catalog.checks import connected
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import PODS, make_resetting, reset_value

fault = Fault(
    id="empty_pool",
    layer="Application",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="configmaps",
            name="{target}",
            ops=({"op": "replace", "path": "/data/{file}", "value": "{starved}"},),
        ),
        Restart(components=("{target}",)),
    ),
    wait=90.0,
    cause=Cause(check=connected, detail="{pooled}"),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl logs -n {namespace} deploy/{pooled} --tail=20",
        "kubectl get configmap {target} -n {namespace} -o yaml | grep {pooled}",
    ),
    fixes=(
        make_resetting('"connections": 0,', '"connections": 512,'),
        reset_value('.["{pooled}"].connections', "64"),
    ),
    targets=("asked", "starved"),
)
