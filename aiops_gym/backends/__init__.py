"""The one seam: a world behind the same few questions, simulated or real."""

from __future__ import annotations

from aiops_gym.backends.base import Assessment, Backend
from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog.model import Problem
from aiops_gym.errors import BackendError

__all__ = ["Assessment", "Backend", "Simulated", "open_backend"]


def open_backend(
    kind: str, problem: Problem, seed: int, *, noise: bool = True, context: str | None = None
) -> Simulated:
    """Start an incident.

    Args:
        kind: `simulated`.
        problem: what is wrong.
        seed: of the episode, 0 <= seed < 2**63.
        noise: whether harmless things happen as well.
        context: kubeconfig context of a real cluster.

    Raises:
        BackendError: a kind that this version does not have.
    """
    if kind != "simulated":
        raise BackendError(f"no backend {kind!r}: this version has 'simulated'")
    if context is not None:
        raise BackendError("the simulated backend has no kubeconfig: leave `context` out")
    return Simulated(problem, seed, noise=noise)
