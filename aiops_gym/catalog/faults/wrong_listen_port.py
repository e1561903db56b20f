"""A component's own settings have it listen on another port than the one to which its Service forwards."""

from aiops_gym.catalog.checks import reached
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import PODS, make_patch, make_resetting

fault = Fault(
    id="wrong_listen_port",
    layer="Application",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="configmaps",
            name="{target}",
            ops=({"op": "replace", "path": "/data/{file}", "value": "{moved}"},),
        ),
        Restart(components=("{target}",)),
        Restart(components=("{service}",)),
    ),
    wait=90.0,
    cause=Cause(check=reached, service="{service}"),
    looks=(
        PODS,
        "kubectl get endpoints {target} -n {namespace}",
        "kubectl get service {target} -n {namespace} -o jsonpath='{.spec.ports}'",
        "kubectl get configmap {target} -n {namespace} -o yaml",
    ),
    fixes=(
        make_resetting("{wrong_port}", "{listen_port}"),
        make_patch("service", {"op": "replace", "path": "/spec/ports/0/targetPort", "value": "#{wrong_port}"}),
    ),
    mends=(("services", "{target}"),),
    targets=("needed", "served", "moved"),
)
