"""A webhook's server has outlived the certificate that it made for itself: the API server no longer trusts it."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Effect, Fault, Restart
from aiops_gym.catalog.platform import IMAGES_RULE, SPACE
from aiops_gym.catalog.scripts import AGAIN, EVENTS, PODS, make_anew

PLACE = {"namespace": SPACE, "name": IMAGES_RULE}

fault = Fault(
    id="expired_policy",
    layer="Virtualization",
    kind="Authentication Issue",
    also_accept=(("Virtualization", "Operation Error"), ("Virtualization", "Dependency Problem")),
    changes=(
        Effect(kind="state", component="", params={**PLACE, "state": {}, "ended": 150}),
        Restart(components=("{target}", "{service}")),
    ),
    cause=Cause(check=admitted, service="{service}"),
    looks=(
        PODS,
        EVENTS,
        "kubectl get validatingwebhookconfigurations -o yaml",
        f"kubectl logs -n {SPACE} deploy/{IMAGES_RULE} --tail=5",
    ),
    fixes=make_anew(IMAGES_RULE, SPACE, AGAIN),
    mends=(("deployments.apps", f"{SPACE}/{IMAGES_RULE}"),),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
    features=("blocked",),
)
