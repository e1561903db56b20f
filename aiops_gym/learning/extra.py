"""Whether the packages that learning needs are there; they are imported where they are used, and nowhere else."""

from __future__ import annotations

from importlib.util import find_spec

from aiops_gym.errors import AiopsGymError

NEEDED = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib")

THREADS = 1
"""Threads of torch: with more than one on a busy machine the small matrices of these networks take ten times longer."""


def require_extra() -> None:
    """Make learning possible in this process: check that everything is there, and give torch one thread.

    Raises:
        AiopsGymError: a package is missing; says how to install all of them.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise AiopsGymError(f"learning needs {', '.join(missing)}: pip install 'aiops_gym[sb3]'")
    import torch  # noqa: PLC0415  # Takes two seconds.

    torch.set_num_threads(THREADS)
