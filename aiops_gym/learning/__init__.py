"""Reinforcement learning on the tasks: the stack, the policy, and the runs.

The only room that imports torch and Stable-Baselines3, and only where something is learned or played by a network.
"""

from aiops_gym.learning.agent import Numbered, masked_random, trained
from aiops_gym.learning.script import scripted

__all__ = ["Numbered", "masked_random", "scripted", "trained"]
