"""A webhook's server has no file descriptors left after weeks at work: nobody is answered, and no new pod let in."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Effect, Fault, Restart
from aiops_gym.catalog.platform import DEFAULTS, FILES, SPACE
from aiops_gym.catalog.scripts import AGAIN, EVENTS, PODS, make_anew

fault = Fault(
    id="exhausted_injector",
    layer="Virtualization",
    kind="Dependency Problem",
    also_accept=(("Virtualization", "Operation Error"), ("Application", "Code Defect")),
    changes=(
        Effect(kind="state", component="", params={"namespace": SPACE, "name": DEFAULTS, "state": {"open": FILES}}),
        Restart(components=("{target}", "{service}")),
    ),
    cause=Cause(check=admitted, detail="containers.0.resources", service="{service}"),
    looks=(
        PODS,
        EVENTS,
        "kubectl get mutatingwebhookconfigurations -o yaml",
        f"kubectl logs -n {SPACE} deploy/{DEFAULTS} --tail=5",
    ),
    fixes=make_anew(DEFAULTS, SPACE, AGAIN),
    mends=(("deployments.apps", f"{SPACE}/{DEFAULTS}"),),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
    features=("blocked",),
)
