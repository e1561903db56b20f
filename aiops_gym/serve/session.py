"""What `aiops-gym serve` does: an incident behind two addresses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from aiops_gym.serve.control import Control, draw_token
from aiops_gym.serve.incident import Incident
from aiops_gym.serve.server import LOOPBACK, Door


@dataclass(frozen=True, slots=True)
class Session:
    """A running incident.

    Attributes:
        incident: that is worked on.
        door: to its cluster.
        control: URL for submitting and scoring.
        token: for the control URL.
    """

    incident: Incident
    door: Door
    control: str
    token: str

    @property
    def instructions(self) -> str:
        """What to do, in three lines."""
        namespace = self.incident.backend.app.namespace
        answer = self.incident.task.answers[0][0]
        curl = f"curl -s -H 'Authorization: Bearer {self.token}' {self.control}"
        return (
            f"Look:    export KUBECONFIG={quote(str(self.door.kubeconfig))} && kubectl get pods -n {namespace}\n"
            f"Submit:  {curl}/submit -d '{{\"answer\": ...}}'   (as in {answer})\n"
            f"Status:  {curl}/status   (Ctrl-C here ends it)"
        )


@contextmanager
def session(
    problem: str, seed: int, kubeconfig: Path, *, host: str = LOOPBACK, port: int = 0, speed: float = 1.0
) -> Iterator[Session]:
    """Serve an incident for as long as the block lasts. Raises CatalogError, BackendError."""
    incident = Incident(problem, seed)
    door = Door(incident.backend.world, kubeconfig, host=host, port=port, speed=speed)
    token = draw_token()
    control = door.listen(Control(door.keeper, door.clock, token, incident).app())
    try:
        yield Session(incident, door.open(), control, token)
    finally:
        door.close()
