"""The network of one pod loses most packets for some seconds, is well for as long, and loses them again."""

from aiops_gym.catalog.model import Effect, Fault, Schedule
from aiops_gym.catalog.scripts import PODS

fault = Fault(
    id="flapping_network",
    layer="Virtualization",
    kind="Network/Storage Issue",
    changes=(
        Schedule(
            effect=Effect(kind="network_loss", component="{target}", params={"percent": 95}), every=24.0, lasts=17.0
        ),
    ),
    wait=150.0,
    looks=(PODS, "kubectl top pods -n {namespace}", "kubectl logs -n {namespace} deploy/{target} --tail=20"),
    targets=("asked", "!database"),
    tasks=("detection", "localization", "analysis"),
    features=("quiet", "moving"),
)
