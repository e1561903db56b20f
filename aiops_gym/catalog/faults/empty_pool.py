"""A service may keep no connection to another one, as somebody took 0 for no limit: each request waits for one."""

from aiops_gym.catalog.model import Fault, Patch, Restart
from aiops_gym.catalog.scripts import PODS

RENEW = "kubectl rollout restart deployment/{target} -n {namespace}"

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
    cause={"check": "connected", "component": "{target}", "callee": "{pooled}"},
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl logs -n {namespace} deploy/{pooled} --tail=20",
        "kubectl get configmap {target} -n {namespace} -o yaml | grep {pooled}",
    ),
    fixes=(
        'kubectl get configmap {target} -n {namespace} -o yaml | sed \'s/"connections": 0,/"connections": 512,/\' '
        f"| kubectl replace -f -\n{RENEW}",
        "kubectl get configmap {target} -n {namespace} -o json "
        '| jq \'.data["{file}"] |= (fromjson | .["{pooled}"].connections = 64 | tojson)\' | kubectl replace -f -\n'
        f"{RENEW}",
    ),
    targets=("asked", "starved"),
)
