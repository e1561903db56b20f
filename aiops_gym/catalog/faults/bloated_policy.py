"""A webhook's server keeps so much memory by now that it only collects: it answers later than anybody waits for it."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Effect, Fault, Restart
from aiops_gym.catalog.platform import HELD, IMAGES_RULE, SPACE
from aiops_gym.catalog.scripts import AGAIN, EVENTS, PODS, make_anew

fault = Fault(
    id="bloated_policy",
    layer="Virtualization",
    kind="Dependency Problem",
    also_accept=(("Virtualization", "Operation Error"), ("Application", "Code Defect")),
    changes=(
        Effect(kind="state", component="", params={"namespace": SPACE, "name": IMAGES_RULE, "state": {"held": HELD}}),
        Restart(components=("{target}", "{service}")),
    ),
    cause=Cause(check=admitted, service="{service}"),
    looks=(
        PODS,
        EVENTS,
        "kubectl get validatingwebhookconfigurations -o yaml",
        f"kubectl top pods -n {SPACE}",
        f"kubectl logs -n {SPACE} deploy/{IMAGES_RULE} --tail=5",
    ),
    fixes=make_anew(IMAGES_RULE, SPACE, AGAIN),
    mends=(("deployments.apps", f"{SPACE}/{IMAGES_RULE}"),),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
    held_out=True,
    features=("blocked",),
)
