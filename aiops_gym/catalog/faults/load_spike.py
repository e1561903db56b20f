"""Half a minute in which users asked much more left callers behind that try again as often, whatever users ask now."""

from dataclasses import replace

from aiops_gym.catalog.faults import retry_storm
from aiops_gym.catalog.model import Effect

fault = replace(
    retry_storm.fault,
    id="load_spike",
    changes=(
        *retry_storm.fault.changes[:2],
        Effect(kind="burst", component="{target}", params={"factor": 10.0, "seconds": 30}),
    ),
    held_out=True,
)
