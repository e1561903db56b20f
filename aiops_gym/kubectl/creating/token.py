"""`kubectl create token`."""

from __future__ import annotations

from typing import Any

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.creation import name_of
from aiops_gym.kubectl.errors import Failure, ServerError
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Request


def run(call: Invocation) -> int | None:
    """Print a token of a service account."""
    name = name_of(call)
    spec: dict[str, Any] = {}
    if call.flags.items("audience"):
        spec["audiences"] = list(call.flags.items("audience"))
    if call.flags.seconds("duration"):
        spec["expirationSeconds"] = int(call.flags.seconds("duration"))
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": {}, "spec": spec}
    try:
        answer = call.client.send(Request("create", "serviceaccounts", call.namespace, name, "token", body))
    except ServerError as error:
        raise Failure(f"failed to create token: {error.message}") from None
    call.say(get(answer, "status", "token", default=""))
    return None


verb = Verb(
    "token",
    run,
    flags=(
        Flag("audience", "array", help="Audience of the requested token."),
        Flag("duration", "duration", help="Requested lifetime of the issued token."),
        Flag("output", short="o", help="Output format."),
    ),
    usage="create token SERVICE_ACCOUNT_NAME",
    short="Request a service account token",
)
