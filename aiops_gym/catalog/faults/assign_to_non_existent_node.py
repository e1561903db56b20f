"""A deployment asks for a node that the cluster does not have; its pods wait for ever."""

from aiops_gym.catalog.model import Fault, Patch, Restart

SELECTOR = "/spec/template/spec/nodeSelector"

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
    cause={"check": "placed", "component": "{target}", "service": "{service}", "upstream": "listed"},
    looks=(
        "kubectl get pods -n {namespace}",
        "kubectl describe pod -n {namespace} -l {selector}={target}",
        "kubectl get nodes --show-labels",
    ),
    fixes=(
        "kubectl patch deployment {target} -n {namespace} --type=json "
        f'-p \'[{{"op": "remove", "path": "{SELECTOR}"}}]\'',
        "kubectl get deployment {target} -n {namespace} -o json "
        "| jq 'del(.spec.template.spec.nodeSelector)' | kubectl replace -f -",
        "kubectl patch deployment {target} -n {namespace} "
        '-p \'{"spec": {"template": {"spec": {"nodeSelector": {"kubernetes.io/hostname": "kind-worker"}}}}}\'',
    ),
    targets=("needed",),
)
