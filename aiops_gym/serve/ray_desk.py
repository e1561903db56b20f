"""Sessions in an actor on a machine of a Ray cluster.

Ray is an extra: it is imported when a cluster is asked for, and not before.
"""

from __future__ import annotations

import threading
from typing import Any

from aiops_gym.errors import AiopsGymError
from aiops_gym.serve.desk import PATIENCE, SWEEP
from aiops_gym.serve.drawers import Drawers
from aiops_gym.sessions import Sessions
from aiops_gym.version import __version__


class Seat:
    """What is in the actor: see `desk.LocalProcess`, whose other end does the same."""

    def __init__(self, limit: int, idle: float, prefix: str) -> None:
        self.drawers = Drawers(Sessions(limit, idle), prefix)
        threading.Thread(target=self._sweep, args=(min(SWEEP, idle),), daemon=True).start()

    def version(self) -> str:
        """Of the package on this machine."""
        return __version__

    def ask(self, what: str, secret: str, body: bytes) -> tuple[int, int, bytes]:
        """How many sessions are open, and the answer."""
        answered = self.drawers.answer(what, secret, body)
        return len(self.drawers.sessions), *answered

    def _sweep(self, every: float) -> None:
        pause = threading.Event()
        while not pause.wait(every):
            self.drawers.sessions.sweep()


class RayActor:
    """An actor with one CPU; while the cluster has no room for it, its first request waits.

    Args:
        ray: the package, connected to a cluster.
        limit: sessions at once.
        idle: seconds after which an unused one ends.
        prefix: of the secrets of its sessions.
    """

    def __init__(self, ray: Any, limit: int, idle: float, prefix: str) -> None:
        self._ray = ray
        made = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Seat)
        self._actor = made.remote(limit, idle, prefix)

    def check(self) -> None:
        """Wait until it is there. Raises AiopsGymError where it cannot be, or is of another version."""
        try:
            version = self._ray.get(self._actor.version.remote(), timeout=PATIENCE)
        except self._ray.exceptions.RayError as error:
            reason = " ".join(str(error).split())
            raise AiopsGymError(f"the Ray cluster has no machine that can hold sessions: {reason}") from None
        if version != __version__:
            raise AiopsGymError(f"a machine of the Ray cluster has aiops_gym {version}, this one {__version__}")

    def ask(self, what: str, secret: str, body: bytes) -> tuple[int, int, bytes]:
        """See `desk.Holder`."""
        try:
            answered: tuple[int, int, bytes] = self._ray.get(
                self._actor.ask.remote(what, secret, body), timeout=PATIENCE
            )
        except self._ray.exceptions.RayError as error:
            raise EOFError(str(error)) from None
        return answered

    def stop(self) -> None:
        """See `desk.Holder`."""
        self._ray.kill(self._actor)
