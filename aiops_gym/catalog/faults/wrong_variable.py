"""A variable of a component's environment says a wrong port of one that it asks: an address, or a proxy's route."""

from aiops_gym.catalog.checks import connected
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import PODS, make_edit, make_patch

SET = 'map(if .name == "{variable}" then .value = "{said}" else . end)'

fault = Fault(
    id="wrong_variable",
    layer="Application",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "replace", "path": "{variable_place}", "value": "{missaid}"},),
            recreate=True,
        ),
    ),
    wait=90.0,
    cause=Cause(check=connected, detail="{callee}"),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl get services -n {namespace}",
        "kubectl get deploy {target} -n {namespace} -o jsonpath='{.spec.template.spec.containers[0].env}'",
    ),
    fixes=(
        "kubectl set env deployment/{target} -n {namespace} '{variable}={said}'",
        make_patch("deployment", {"op": "replace", "path": "{variable_place}", "value": "{said}"}),
        make_edit("deployment", f".spec.template.spec.containers[0].env |= {SET}"),
    ),
    targets=("asked", "directed"),
)
