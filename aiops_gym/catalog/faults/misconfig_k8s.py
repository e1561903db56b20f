"""A Service forwards to a port on which its pods do not listen: callers are refused, and nothing looks ill."""

from aiops_gym.catalog.checks import reached
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart

PATH = "/spec/ports/0/targetPort"

fault = Fault(
    id="misconfig_k8s",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(resource="services", name="{target}", ops=({"op": "replace", "path": PATH, "value": 9999},)),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=reached, service="{service}", upstream="port"),
    looks=(
        "kubectl get pods -n {namespace}",
        "kubectl get endpoints -n {namespace}",
        "kubectl describe service {target} -n {namespace}",
    ),
    fixes=(
        "kubectl patch service {target} -n {namespace} --type=json "
        f'-p \'[{{"op": "replace", "path": "{PATH}", "value": {{port}}}}]\'',
        "kubectl get service {target} -n {namespace} -o json "
        "| jq '.spec.ports[0].targetPort = {port}' | kubectl apply -f -",
        "kubectl patch service {target} -n {namespace} "
        '-p \'{"spec": {"ports": [{"port": {service_port}, "targetPort": {port}}]}}\'',
    ),
    targets=("needed", "served", "targeted"),
)
