"""An environment variable that becomes an argument of the program says a wrong port of the registry it needs."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import CONTAINER, PODS, make_edit, make_patch

ENV = {"name": "REGISTRY_ADDRESS", "value": "{wrong_address}"}

fault = Fault(
    id="wrong_address",
    layer="Application",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=(
                {"op": "add", "path": f"{CONTAINER}/env/-", "value": ENV},
                {"op": "add", "path": f"{CONTAINER}/args", "value": ["{flag}=$(REGISTRY_ADDRESS)"]},
            ),
            recreate=True,
        ),
    ),
    wait=90.0,
    cause=Cause(check=template),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl get services -n {namespace}",
        "kubectl get deploy {target} -n {namespace} -o jsonpath='{.spec.template.spec.containers[*]}'",
    ),
    fixes=(
        "kubectl set env deployment/{target} -n {namespace} REGISTRY_ADDRESS={address}",
        make_patch("deployment", "#{undo_args}"),
        make_edit("deployment", "{jq_args}"),
    ),
    targets=("asked", "addressed"),
)
