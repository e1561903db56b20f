"""A Service offers a port that its clients do not dial: their packets vanish, though it has endpoints."""

from aiops_gym.catalog.checks import reached
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import PODS, make_edit, make_patch

PORT = {"op": "replace", "path": "/spec/ports/0/port"}

fault = Fault(
    id="wrong_service_port",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(resource="services", name="{target}", ops=({**PORT, "value": 18080},)),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=reached, service="{service}"),
    looks=(PODS, "kubectl get services -n {namespace}", "kubectl describe service {target} -n {namespace}"),
    fixes=(
        make_patch("service", {**PORT, "value": "#{service_port}"}),
        make_edit("service", ".spec.ports[0].port = {service_port}"),
    ),
    targets=("needed", "served"),
)
