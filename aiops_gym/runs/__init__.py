"""Letting agents act: one episode, and what is kept of it."""

from aiops_gym.runs.episode import Episode
from aiops_gym.runs.runner import run_episode

__all__ = ["Episode", "run_episode"]
