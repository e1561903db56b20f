"""The one seam: what tools, tasks and environments may ask of a world, simulated or real."""

from __future__ import annotations

from typing import Protocol

from aiops_gym.catalog.model import App
from aiops_gym.types import Cluster, Shell, Telemetry


class Backend(Protocol):
    """A running incident.

    Attributes:
        app: what the agent is told of.
        cluster: the Kubernetes API.
        telemetry: metrics and traces.
        shell: where the agent's commands run.
        began: Unix seconds (of the backend's clock) at which the agent first looked.
    """

    app: App
    cluster: Cluster
    telemetry: Telemetry
    shell: Shell
    began: float

    def now(self) -> float:
        """Unix seconds on the backend's clock."""

    def spend(self, seconds: float) -> None:
        """Let time pass, for the cost of an action."""
