"""A database can do little more than what its cache leaves it: cold once, it stays cold, as no answer is in time."""

from aiops_gym.catalog.checks import unhurried
from aiops_gym.catalog.model import Cause, Effect, Fault, Patch, Restart
from aiops_gym.catalog.patches import limit_processor
from aiops_gym.catalog.scripts import PODS, make_patch

fault = Fault(
    id="cache_stampede",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(resource="deployments.apps", name="{target}", ops=limit_processor("{tight}"), recreate=True),
        Effect(kind="warmth", component="{sparing}", params={"each": 6.0, "within": 1_000.0, "tau": 30_000.0}),
        Restart(components=("{sparing}",)),
    ),
    wait=180.0,
    cause=Cause(check=unhurried),
    looks=(
        PODS,
        "kubectl top pods -n {namespace}",
        "kubectl get deploy {target} -n {namespace} -o yaml | grep -A5 limits:",
    ),
    fixes=(
        make_patch("deployment", "#{undo_resources}"),
        "kubectl set resources deployment/{target} -n {namespace} --limits=cpu=1 --requests=cpu=100m",
    ),
    targets=("asked", "spared"),
    features=("moving",),
)
