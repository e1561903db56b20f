"""The one seam: a world behind the same few questions, simulated or real."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aiops_gym.backends.base import Assessment, Backend
from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog.model import Problem
from aiops_gym.errors import BackendError

if TYPE_CHECKING:
    from aiops_gym.backends.kubernetes.live import Live

__all__ = ["Assessment", "Backend", "Simulated", "open_backend"]


def open_backend(
    kind: str,
    problem: Problem,
    seed: int,
    *,
    noise: bool = True,
    context: str | None = None,
    cluster: Mapping[str, Any] | None = None,
) -> Simulated | Live:
    """Start an incident.

    Args:
        kind: `simulated`, or `kubernetes` for a real cluster.
        problem: what is wrong.
        seed: of the episode, 0 <= seed < 2**63.
        noise: whether harmless things happen as well; a real cluster has noise of its own, and is given none.
        context: kubeconfig context of a real cluster.
        cluster: settings of it, see `backends.kubernetes.settings.Settings`.

    Raises:
        ArgumentError: a setting that there is not.
        BackendError: a kind that this version does not have, or a cluster that cannot do what is asked of it.
    """
    if kind == "kubernetes":
        from aiops_gym.backends.kubernetes.live import Live  # noqa: PLC0415  # few who simulate need it
        from aiops_gym.backends.kubernetes.settings import read_settings  # noqa: PLC0415

        return Live(problem, seed, read_settings(context, cluster))
    if kind != "simulated":
        raise BackendError(f"no backend {kind!r}: this version has 'simulated' and 'kubernetes'")
    if context is not None or cluster:
        raise BackendError("the simulated backend has no kubeconfig: leave `context` and `cluster` out")
    return Simulated(problem, seed, noise=noise)
