"""`docker`, as somebody types it on a host with containers."""

from aiops_gym.docker.dispatch import run

__all__ = ["run"]
