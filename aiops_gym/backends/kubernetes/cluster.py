"""A real cluster as tools and kubectl see it: the same `handle(request)` as in process, sent over HTTP."""

from __future__ import annotations

from aiops_gym.backends.kubernetes.api import Api
from aiops_gym.errors import BackendError
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.types import Request, Response


class RealCluster:
    """See `types.Cluster`.

    Attributes:
        broken: why the cluster could not be asked, "" while it can: a command of a shell cannot raise.
    """

    def __init__(self, api: Api) -> None:
        self.api, self.broken = api, ""

    def handle(self, request: Request) -> Response:
        """Answer one request; where the cluster is gone, an answer says so, and `broken` remembers."""
        if request.resource not in RESOURCES:
            return _refuse(404, "NotFound", "the server could not find the requested resource")
        try:
            return self.api.send(request)
        except BackendError as error:
            self.broken = self.broken or str(error)
            return _refuse(503, "ServiceUnavailable", str(error))

    def now(self) -> float:
        """Unix seconds."""
        return self.api.clock.now()

    def wait(self, seconds: float) -> bool:
        """Let time pass; the shell that asks has its own deadline."""
        self.api.clock.wait(max(0.0, seconds))
        return True


def _refuse(code: int, reason: str, message: str) -> Response:
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    return Response(code, {**status, "message": message, "reason": reason, "code": code})
