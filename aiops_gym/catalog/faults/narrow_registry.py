"""The policy for images has lost the registries from which the application's come: no new pod of it is let in."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Fault, Restart, Script
from aiops_gym.catalog.platform import IMAGES_RULE, SPACE
from aiops_gym.catalog.scripts import AGAIN, EVENTS, PODS, make_rule

LOST = '["docker.io/", "ghcr.io/"]'

fault = Fault(
    id="narrow_registry",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Script(
            script=make_rule(IMAGES_RULE, f".registries -= {LOST}"),
            writes=(("configmaps", f"{SPACE}/{IMAGES_RULE}"),),
        ),
        Restart(components=("{target}", "{service}")),
    ),
    cause=Cause(check=admitted, service="{service}"),
    looks=(PODS, EVENTS, f"kubectl get pods,configmaps -n {SPACE}", f"kubectl logs -n {SPACE} deploy/{IMAGES_RULE}"),
    fixes=(
        make_rule(IMAGES_RULE, f".registries += {LOST}") + AGAIN,
        make_rule(IMAGES_RULE, f".registries |= (. + {LOST} | unique)") + AGAIN,
    ),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
    features=("blocked",),
)
