"""What a service printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.errors import ToolError
from aiops_gym.tools.dedup import deduplicate
from aiops_gym.tools.places import ask, need_namespace, pods_of
from aiops_gym.tools.registry import TELEMETRY_SECONDS, Context, read
from aiops_gym.types import Request, Response, Result


@read
def get_logs(context: Context, namespace: str, service: str) -> Result:
    """Collect the logs of a service: all that its running containers printed.

    Repeated lines, which differ in their times only, are shown once; exec_shell("kubectl logs ...") shows each.

    Args:
        namespace: namespace in which the service runs.
        service: name of the service (the value of its pods' label), or of one pod.
    """
    if namespace == context.backend.app.namespace and context.backend.app.project is not None:
        return _log_of_container(context, service)
    pods = pods_of(context, namespace, service)
    if pods is None:
        need_namespace(context, namespace)
        raise ToolError(
            f"Error: Your service/namespace does not exist: nothing named {service[:80]!r} in {namespace!r}. "
            f'Use kubectl to check: exec_shell("kubectl get pods -n {namespace} --show-labels").'
        )
    if not pods:
        return Result(f"The service {service} has no pods in the namespace {namespace}, and so no logs.")
    places = [(pod, container["name"]) for pod in pods for container in pod["spec"]["containers"]]
    parts = [_log(context, pod, container, len(places) > 1) for pod, container in places]
    return Result("\n".join(parts))


def _log_of_container(context: Context, name: str) -> Result:
    """What a container of Docker printed, by its name, its service or its id."""
    context.backend.spend(TELEMETRY_SECONDS)
    response = context.backend.cluster.docker("GET", f"/containers/{name.replace('/', '%2F')}/logs")
    if response.code != 200:
        raise ToolError(
            f"Error: Your service does not exist: no container named {name[:80]!r}. "
            'Use docker to check: exec_shell("docker ps -a").'
        )
    return Result(deduplicate("".join(f"{text}\n" for _, text in response.body), context.dedup))


def _log(context: Context, pod: Mapping[str, Any], container: str, titled: bool) -> str:
    meta = pod["metadata"]
    query = {"container": container}
    response = ask(context, Request("get", "pods", meta["namespace"], meta["name"], "log", query=query))
    text = deduplicate(_text(response), context.dedup)
    return f"==> {meta['name']}/{container} <==\n{text}" if titled else text


def _text(response: Response) -> str:
    if response.code == 200:
        return str(response.body)
    return f"Error from server ({response.body.get('reason', 'Unknown')}): {response.body.get('message', '')}"
