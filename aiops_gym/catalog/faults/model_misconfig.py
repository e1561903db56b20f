"""One container's copy of the model has a layer of another size than the weights that it is sent."""

from aiops_gym.catalog.model import Fault, Script

EDIT = "docker exec {target} sh -c \"sed -i '24s/84/80/' /app/.flwr/apps/*/task.py\""

fault = Fault(
    id="model_misconfig",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(Script(script=EDIT, component="{target}", writes=()),),
    wait=180.0,
    looks=("docker ps -a", "docker logs {target} --tail 60", "docker logs serverapp --tail 12"),
    tasks=("detection",),
)
