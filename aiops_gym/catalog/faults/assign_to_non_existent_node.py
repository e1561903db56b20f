"""A deployment asks for a node that the cluster does not have; its pods wait for ever."""

from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.system import System

SELECTOR = "/spec/template/spec/nodeSelector"


def placed(before: System, now: System, cause: Cause) -> str:
    """A node that was there before has the labels that the component asks for, none of them in place of its own."""
    deployment = now.object("deployments.apps", cause.component)
    wanted = deployment["spec"]["template"]["spec"].get("nodeSelector") or {} if deployment else {}
    usual = {node["metadata"]["name"]: node["metadata"].get("labels") or {} for node in before.objects("nodes")}
    nodes = [
        {**(node["metadata"].get("labels") or {}), **usual[name]}
        for node in now.objects("nodes")
        if (name := node["metadata"]["name"]) in usual
    ]
    fitting = any(wanted.items() <= labels.items() for labels in nodes)
    return "" if fitting else f"no node is what {cause.component} asks for"


fault = Fault(
    id="assign_to_non_existent_node",
    layer="Virtualization",
    kind="Dependency Problem",
    also_accept=(("Virtualization", "Misconfiguration"),),
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": SELECTOR, "value": {"kubernetes.io/hostname": "extra-node"}},),
            recreate=True,
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=placed, service="{service}", upstream="listed"),
    looks=(
        "kubectl get pods -n {namespace}",
        "kubectl describe pod -n {namespace} -l {selector}={target}",
        "kubectl get nodes --show-labels",
    ),
    fixes=(
        "kubectl patch deployment {target} -n {namespace} --type=json -p '[{undo_nodeSelector}]'",
        "kubectl get deployment {target} -n {namespace} -o json | jq '{jq_nodeSelector}' | kubectl replace -f -",
        "kubectl patch deployment {target} -n {namespace} "
        '-p \'{"spec": {"template": {"spec": {"nodeSelector": {"kubernetes.io/hostname": "kind-worker"}}}}}\'',
    ),
    targets=("needed",),
)
