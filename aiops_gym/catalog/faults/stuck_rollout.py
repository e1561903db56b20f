"""A rollout took the old pod away and cannot make the new one: its service account does not exist."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import POD, PODS, make_patch

ACCOUNT = f"{POD}/serviceAccountName"
AT_ONCE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "100%"}}

fault = Fault(
    id="stuck_rollout",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Dependency Problem"),),
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=(
                {"op": "replace", "path": "/spec/strategy", "value": AT_ONCE},
                {"op": "add", "path": ACCOUNT, "value": "{target}-{account_name}"},
            ),
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=template, service="{service}"),
    looks=(
        PODS,
        "kubectl get deployments,replicasets -n {namespace}",
        "kubectl describe replicasets -n {namespace} -l {selector}={target}",
    ),
    fixes=(
        "kubectl rollout undo deployment/{target} -n {namespace}",
        make_patch(
            "deployment",
            {"op": "replace", "path": ACCOUNT, "value": "{account}"},
            {"op": "replace", "path": f"{POD}/serviceAccount", "value": "{account}"},
        ),
        "kubectl create serviceaccount {target}-{account_name} -n {namespace}\n"
        "kubectl rollout restart deployment/{target} -n {namespace}",
    ),
    targets=("needed",),
)
