"""One of a component's two versions is of the next major release: what reaches it is asked for and not known."""

from aiops_gym.catalog.model import Cause, Fault, Script
from aiops_gym.catalog.platform import MAJOR
from aiops_gym.catalog.scripts import PODS
from aiops_gym.catalog.system import System

CANARY = "deployment {target}-canary -n {namespace}"
MADE = (
    '.metadata = {name: "{target}-canary", namespace: .metadata.namespace} | del(.status) | .spec.replicas = 1 '
    '| .spec.selector.matchLabels.track = "canary" | .spec.template.metadata.labels.track = "canary" '
    f'| .spec.template.spec.containers[0].image = "{{repository}}:{MAJOR}"'
)


def alike(before: System, now: System, cause: Cause) -> str:
    """Whoever stands for the component beside it runs what the component ran before."""
    name = f"{cause.component}-canary"
    found, mine = now.object("deployments.apps", name), before.object("deployments.apps", cause.component)
    if found is None or mine is None or not found["spec"].get("replicas", 1):
        return ""
    images = [each["spec"]["template"]["spec"]["containers"][0]["image"] for each in (found, mine)]
    return "" if images[0] == images[1] else f"{name} is of another version"


fault = Fault(
    id="skewed_canary",
    layer="Application",
    kind="Code Defect",
    also_accept=(("Application", "Dependency Problem"), ("Virtualization", "Operation Error")),
    changes=(
        Script(
            script=f"kubectl get deployment {{target}} -n {{namespace}} -o json | jq '{MADE}' | kubectl create -f -",
            writes=(("deployments.apps", "{target}-canary"),),
            component="{target}",
        ),
    ),
    wait=90.0,
    cause=Cause(check=alike),
    looks=(PODS, "kubectl get deployments -n {namespace} -o wide"),
    fixes=(
        f"kubectl delete {CANARY}",
        f"kubectl scale {CANARY} --replicas=0",
    ),
    targets=("asked", "inner", "executable"),
    features=("quiet",),
)
