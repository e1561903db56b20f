"""Somebody stopped a container of the application, which runs in Docker; whoever needs it waits."""

from aiops_gym.catalog.model import Fault, Script

fault = Fault(
    id="container_stop",
    layer="Virtualization",
    kind="Operation Error",
    changes=(Script(script="docker stop {target}", component="{target}", writes=()),),
    wait=120.0,
    looks=("docker ps -a", "docker logs serverapp --tail 12"),
    tasks=("detection",),
)
