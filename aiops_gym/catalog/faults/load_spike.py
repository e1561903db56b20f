"""Half a minute in which users asked much more left callers behind that try again as often, whatever users ask now."""

from aiops_gym.catalog.faults import retry_storm
from aiops_gym.catalog.model import Effect, Fault

fault = Fault(
    id="load_spike",
    layer=retry_storm.fault.layer,
    kind=retry_storm.fault.kind,
    also_accept=retry_storm.fault.also_accept,
    changes=(
        *retry_storm.fault.changes[:2],
        Effect(kind="burst", component="{target}", params={"factor": 10.0, "seconds": 30}),
    ),
    wait=retry_storm.fault.wait,
    cause=retry_storm.fault.cause,
    looks=retry_storm.fault.looks,
    fixes=retry_storm.fault.fixes,
    targets=retry_storm.fault.targets,
    tasks=retry_storm.fault.tasks,
    held_out=True,
    features=("moving",),
)
