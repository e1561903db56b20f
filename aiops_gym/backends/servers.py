"""Prometheus, Alertmanager and Jaeger over HTTP, asked from outside through the API server."""

from __future__ import annotations

from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import handle
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.types import Request

PORTS = {
    "prometheus": ("prometheus-server", 80),
    "alertmanager": ("prometheus-alertmanager", 9093),
    "jaeger": ("jaeger", 16686),
}
"""Service and port of each, in whatever namespace it is."""


def ask_server(world: World, server: str, method: str, path: str, form: str = "") -> HttpAnswer:
    """What one of them answers to a request; 503 where it cannot be reached, in the API server's words.

    Args:
        server: one of `PORTS`.
        method: of HTTP.
        path: with its query.
        form: that is posted.
    """
    name, port = PORTS[server]
    found = (service["metadata"] for service in world.store.all("services"))
    namespace = min((meta["namespace"] for meta in found if meta["name"] == name), default="default")
    asked = {"method": method, "path": path, "text": form}
    answer = handle(world, Request("get", "services", namespace, f"{name}:{port}", "proxy", asked))
    if isinstance(answer.body, HttpAnswer):
        return answer.body
    return HttpAnswer(503, f"{answer.body['message']}\n", {"Content-Type": "text/plain; charset=utf-8"})
