"""Asking the cluster what a tool needs to know before it can answer: namespaces, and the pods of a service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.errors import ToolError
from aiops_gym.tools.registry import TELEMETRY_SECONDS, Context
from aiops_gym.types import Request, Response

KEYS = ("app.kubernetes.io/name", "app", "k8s-app")
"""Labels that name the service of a pod, in the namespaces around the app."""

MINUTES = 120
"""How far back metrics and traces reach."""


def ask(context: Context, request: Request) -> Response:
    """Put one question to the cluster, at its price."""
    context.backend.spend(TELEMETRY_SECONDS)
    response: Response = context.backend.cluster.handle(request)
    return response


def need_namespace(context: Context, namespace: str) -> None:
    """Raises ToolError with the names that exist when this one does not."""
    if context.backend.cluster.handle(Request("get", "namespaces", name=namespace)).code == 200:
        return
    found = context.backend.cluster.handle(Request("list", "namespaces")).body.get("items", ())
    names = ", ".join(sorted(each["metadata"]["name"] for each in found))
    raise ToolError(f"Error: the namespace {namespace[:80]!r} does not exist. There are: {names}.")


def window(context: Context, minutes: int) -> tuple[float, float]:
    """Start and end, Unix seconds, of the last minutes.

    Raises:
        ToolError: a duration that telemetry does not reach back to.
    """
    if not 1 <= minutes <= MINUTES:
        raise ToolError(f"Error: duration is in minutes, 1 to {MINUTES}, not {minutes}.")
    end = context.backend.now()
    return end - 60.0 * minutes, end


def pods_of(context: Context, namespace: str, service: str) -> list[Mapping[str, Any]] | None:
    """Pods of a service, sorted by name; None when nothing of this name exists."""
    own = context.backend.app
    found = ask(context, Request("list", "pods", namespace)).body.get("items", ())
    for key in (own.selector, *KEYS) if namespace == own.namespace else KEYS:
        pods = [pod for pod in found if pod["metadata"].get("labels", {}).get(key) == service]
        if pods:
            return _sorted(pods)
    named = [pod for pod in found if pod["metadata"]["name"] == service]
    return named or _selected(context, namespace, service, found)


def _selected(
    context: Context, namespace: str, name: str, found: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]] | None:
    """The pods that a workload or Service of this name selects."""
    for kind in ("deployments.apps", "statefulsets.apps", "daemonsets.apps", "services"):
        response = context.backend.cluster.handle(Request("get", kind, namespace, name))
        if response.code == 200:
            selector = response.body.get("spec", {}).get("selector") or {}
            wanted = selector.get("matchLabels", selector).items()
            return _sorted([pod for pod in found if wanted and wanted <= pod["metadata"].get("labels", {}).items()])
    return None


def _sorted(pods: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(pods, key=lambda pod: str(pod["metadata"]["name"]))
