"""Every packet from and to one pod takes ten seconds."""

from aiops_gym.catalog.model import Effect, Fault

fault = Fault(
    id="network_delay",
    layer="Virtualization",
    kind="Network/Storage Issue",
    changes=(Effect(kind="network_delay", component="{target}", params={"ms": 10_000, "jitter": 0}),),
    wait=120.0,
    looks=("kubectl get pods -n {namespace}", "kubectl logs -n {namespace} deploy/frontend --tail=50"),
    targets=("asked",),
    tasks=("detection", "localization", "analysis"),
)
