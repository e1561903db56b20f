"""Asking the cluster what a tool needs to know before it can answer: namespaces, and the pods of a service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.errors import ToolError
from aiops_gym.tools.registry import TELEMETRY_SECONDS, Context
from aiops_gym.types import Request, Response

KEYS = ("app.kubernetes.io/name", "app", "k8s-app", "component", "name")
"""Labels that name the service of a pod, in the namespaces around the app."""

MINUTES = 120
"""How far back metrics and traces reach."""


def ask(context: Context, request: Request) -> Response:
    """Put one question to the cluster, at its price."""
    context.backend.spend(TELEMETRY_SECONDS)
    return context.backend.cluster.handle(request)


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


def pods_of(context: Context, namespace: str, service: str) -> list[Mapping[str, Any]]:
    """Pods of a service, sorted by name; empty when it has none."""
    own = context.backend.app
    keys = (own.selector, *KEYS) if namespace == own.namespace else KEYS
    for pod in (found := ask(context, Request("list", "pods", namespace)).body.get("items", ())):
        if pod["metadata"]["name"] == service:
            return [pod]
    for key in keys:
        pods = [pod for pod in found if pod["metadata"].get("labels", {}).get(key) == service]
        if pods:
            return sorted(pods, key=lambda pod: str(pod["metadata"]["name"]))
    return []


def known(context: Context, namespace: str, service: str) -> bool:
    """Whether something else than a pod has this name: a service that has no pods at the moment."""
    handle = context.backend.cluster.handle
    kinds = ("services", "deployments.apps", "statefulsets.apps", "daemonsets.apps")
    return any(handle(Request("get", kind, namespace, service)).code == 200 for kind in kinds)
