"""A pod asks the name server of its node instead of the cluster's: it finds no Service by name."""

from aiops_gym.catalog.checks import named, template
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import POD, PODS, make_edit, make_patch
from aiops_gym.catalog.system import System

POLICY = {"op": "replace", "path": f"{POD}/dnsPolicy"}


def resolving(before: System, now: System, cause: Cause) -> str:
    """The component runs its own program and finds whom the cluster's name server knows, not only whom it was told."""
    return template(before, now, cause) or named(before, now, cause)


fault = Fault(
    id="wrong_dns_policy",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(resource="deployments.apps", name="{target}", ops=({**POLICY, "value": "Default"},), recreate=True),
    ),
    wait=90.0,
    cause=Cause(check=resolving, detail="kubernetes.default.svc.cluster.local"),
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
