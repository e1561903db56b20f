"""`kubectl api-versions`"""

from __future__ import annotations

from aiops_gym.kubectl.errors import UsageFailure
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kube_api.resources import RESOURCES


def run(call: Invocation) -> int | None:
    """Print the API versions that the server has, sorted."""
    if call.args:
        raise UsageFailure(f"unexpected arguments: [{' '.join(call.args)}]")
    versions = sorted({resource.api_version for resource in RESOURCES.values()})
    call.write("".join(f"{version}\n" for version in versions))
    return 0


verb = Verb(
    "api-versions",
    run,
    usage="api-versions",
    short='Print the supported API versions on the server, in the form of "group/version"',
)
