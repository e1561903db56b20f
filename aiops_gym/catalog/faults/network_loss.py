"""The network of one pod loses nearly all packets."""

from aiops_gym.catalog.model import Effect, Fault

fault = Fault(
    id="network_loss",
    layer="Virtualization",
    kind="Network/Storage Issue",
    changes=(Effect(kind="network_loss", component="{target}", params={"percent": 99, "correlation": 100}),),
    wait=120.0,
    looks=("kubectl get pods -n {namespace}", "kubectl logs -n {namespace} deploy/frontend --tail=50"),
    targets=("asked",),
    tasks=("detection", "localization", "analysis"),
)
