"""A webhook that is asked about each new pod leads to a port on which nobody listens, and fails closed."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.platform import IMAGES_RULE, SPACE
from aiops_gym.catalog.scripts import AGAIN, EVENTS, PODS

PORT = "/spec/ports/0/targetPort"
SERVICE = f"service {IMAGES_RULE} -n {SPACE}"
LISTENS = "{.spec.template.spec.containers[0].ports[0].containerPort}"

fault = Fault(
    id="unanswered_webhook",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Dependency Problem"),),
    changes=(
        Patch(
            resource="services",
            name=IMAGES_RULE,
            namespace=SPACE,
            ops=({"op": "replace", "path": PORT, "value": 9090},),
        ),
        Restart(components=("{target}", "{service}")),
    ),
    cause=Cause(check=admitted, service="{service}"),
    looks=(
        PODS,
        EVENTS,
        "kubectl get validatingwebhookconfigurations -o yaml",
        f"kubectl get endpoints,pods -n {SPACE} -o wide",
    ),
    fixes=(
        f"""kubectl patch {SERVICE} --type=json -p '[{{"op": "replace", "path": "{PORT}", "value": "https"}}]'"""
        + AGAIN,
        f"""port=$(kubectl get deployment {IMAGES_RULE} -n {SPACE} -o jsonpath='{LISTENS}')
kubectl get {SERVICE} -o json | jq --argjson p $port '.spec.ports[0].targetPort = $p' | kubectl replace -f -"""
        + AGAIN,
    ),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
    features=("blocked",),
)
