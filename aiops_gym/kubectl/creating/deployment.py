"""`kubectl create deployment`."""

from __future__ import annotations

from typing import Any

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.creation import FLAGS, make, make_containers, name_of, new_object
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Create a deployment."""
    name, images = name_of(call), call.flags.items("image")
    command = call.args[call.flags.dash :] if call.flags.dash >= 0 else []
    if len(images) > 1 and command:
        raise Failure("cannot specify multiple --image options and command")
    labels = {"app": name}
    rest: dict[str, Any] = {"command": command} if command else {}
    found = make_containers(images, **rest)
    if found and call.flags.number("port") >= 0:
        found[0] = {**found[0], "ports": [{"containerPort": call.flags.number("port")}]}
    template = {"metadata": {"creationTimestamp": None, "labels": labels}, "spec": {"containers": found}}
    spec = {
        "replicas": call.flags.number("replicas"),
        "selector": {"matchLabels": labels},
        "strategy": {},
        "template": template,
    }
    make(
        call, new_object("apps/v1", "Deployment", name, metadata={"labels": labels}, spec=spec, status={}), "deployment"
    )
    return None


verb = Verb(
    "deployment",
    run,
    flags=(
        Flag("image", "list", help="Image names to run. A deployment can have multiple images."),
        Flag("port", "int", default=-1, help="The containerPort that this deployment exposes."),
        Flag("replicas", "int", short="r", default=1, help="Number of replicas to create. Default is 1."),
        *FLAGS,
    ),
    aliases=("deploy",),
    required=("image",),
    usage="create deployment NAME --image=image -- [COMMAND] [args...]",
    short="Create a deployment with the specified name",
)
