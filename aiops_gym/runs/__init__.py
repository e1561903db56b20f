"""Letting agents act: one episode, many of them, and what is kept."""

from aiops_gym.runs.episode import Episode
from aiops_gym.runs.evaluation import Progress, evaluate
from aiops_gym.runs.judge import Judge
from aiops_gym.runs.ray_cluster import RayCluster
from aiops_gym.runs.runner import run_episode
from aiops_gym.runs.summary import Summary, summarise

__all__ = ["Episode", "Judge", "Progress", "RayCluster", "Summary", "evaluate", "run_episode", "summarise"]
