"""Wrappers for learners: numbers in and out, prices, a curriculum, a record.

They can be put around each other in any order in which each finds what it needs: those that read text may stand outside
of one that turns it into numbers. A feature or a mask never holds what was not printed in the episode.
"""

from aiops_gym.envs.branching import fork, restore, snapshot
from aiops_gym.wrappers.clip_observation import ClipObservation
from aiops_gym.wrappers.curriculum import Curriculum
from aiops_gym.wrappers.hashed_text import HashedText
from aiops_gym.wrappers.history import History
from aiops_gym.wrappers.macro_actions import MacroActions
from aiops_gym.wrappers.numeric_info import NumericInfo
from aiops_gym.wrappers.record_episodes import RecordEpisodes
from aiops_gym.wrappers.recorded_looks import RecordedLooks
from aiops_gym.wrappers.reward_shaping import RewardShaping
from aiops_gym.wrappers.symptoms import Symptoms

__all__ = [
    "ClipObservation",
    "Curriculum",
    "HashedText",
    "History",
    "MacroActions",
    "NumericInfo",
    "RecordEpisodes",
    "RecordedLooks",
    "RewardShaping",
    "Symptoms",
    "fork",
    "restore",
    "snapshot",
]
