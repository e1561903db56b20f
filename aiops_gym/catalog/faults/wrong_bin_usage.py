"""A deployment starts another service's executable: its pod is healthy, and nobody does its work."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch

COMMAND = "/spec/template/spec/containers/0/command"

fault = Fault(
    id="wrong_bin_usage",
    layer="Application",
    kind="Network/Storage Issue",
    also_accept=(("Application", "Misconfiguration"),),
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "replace", "path": COMMAND, "value": ["{other}"]},),
            recreate=True,
        ),
    ),
    cause=Cause(check=template),
    looks=(
        "kubectl get pods -n {namespace}",
        "kubectl logs -n {namespace} deploy/frontend --tail=20",
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl get deploy {target} -n {namespace} -o jsonpath='{.spec.template.spec.containers[*].command}'",
    ),
    fixes=(
        "kubectl patch deployment {target} -n {namespace} --type=json "
        f'-p \'[{{"op": "replace", "path": "{COMMAND}", "value": ["{{executable}}"]}}]\'',
        "kubectl get deployment {target} -n {namespace} -o json "
        "| jq '.spec.template.spec.containers[0].command = [\"{executable}\"]' | kubectl apply -f -",
    ),
    targets=("asked", "executable"),
)
