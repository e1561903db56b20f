"""A pod asks the name server of its node instead of the cluster's: it finds no Service by name."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import POD, PODS, make_edit, make_patch

POLICY = {"op": "replace", "path": f"{POD}/dnsPolicy"}

fault = Fault(
    id="wrong_dns_policy",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(resource="deployments.apps", name="{target}", ops=({**POLICY, "value": "Default"},), recreate=True),
    ),
    wait=90.0,
    cause=Cause(check=template),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl get deploy {target} -n {namespace} -o jsonpath='{.spec.template.spec.dnsPolicy}'",
    ),
    fixes=(
        make_patch("deployment", "#{undo_dnsPolicy}"),
        make_edit("deployment", "{jq_dnsPolicy}"),
        make_edit("deployment", '.spec.template.spec.dnsPolicy = "ClusterFirstWithHostNet"'),
    ),
    targets=("asked", "resolves"),
    held_out=True,
)
