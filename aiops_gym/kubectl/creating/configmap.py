"""`kubectl create configmap`."""

from __future__ import annotations

from aiops_gym.kubectl import sources
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Create a config map."""
    name = name_of(call)
    data = sources.read_data(call, "ConfigMap", name)
    if call.flags.on("append-hash"):
        name += sources.hash_data({"kind": "ConfigMap", "name": name, "data": data})
    make(call, new_object("v1", "ConfigMap", name, **({"data": data} if data else {})), "configmap")
    return None


verb = Verb(
    "configmap",
    run,
    flags=(*sources.FLAGS, *FLAGS),
    aliases=("cm",),
    usage="create configmap NAME [--from-file=[key=]source] [--from-literal=key1=value1]",
    short="Create a config map from a local file, directory or literal value",
)
