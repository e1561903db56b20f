"""The policy for images has lost the registry from which the application's come: no new pod of it is let in."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Fault, Restart, Script
from aiops_gym.catalog.platform import IMAGES_RULE, SPACE
from aiops_gym.catalog.scripts import AGAIN, EVENTS, PODS, make_rule

fault = Fault(
    id="narrow_registry",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Script(
            script=make_rule(IMAGES_RULE, '.registries -= ["docker.io/"]'),
            writes=(("configmaps", f"{SPACE}/{IMAGES_RULE}"),),
        ),
        Restart(components=("{target}", "{service}")),
    ),
    cause=Cause(check=admitted, service="{service}"),
    looks=(PODS, EVENTS, f"kubectl get pods,configmaps -n {SPACE}", f"kubectl logs -n {SPACE} deploy/{IMAGES_RULE}"),
    fixes=(
        make_rule(IMAGES_RULE, '.registries += ["docker.io/"]') + AGAIN,
        make_rule(IMAGES_RULE, '.registries |= (. + ["docker.io/"] | unique)') + AGAIN,
    ),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
    features=("blocked",),
)
