"""The stacks of wrappers that are tested: all that the documentation shows, and a few that it does not.

Each is named by what stands in it, the outermost first.
"""

from __future__ import annotations

from aiops_gym.learning import rllib
from aiops_gym.learning.stack import wrap
from aiops_gym.wrappers import (
    ClipObservation,
    Curriculum,
    HashedText,
    History,
    MacroActions,
    NumericInfo,
    RecordedLooks,
    RecordEpisodes,
    RewardShaping,
    Symptoms,
)

TEXT = {
    "ClipObservation": lambda env: ClipObservation(env, 2_000),
    "Curriculum": Curriculum,
    "HashedText": lambda env: HashedText(env, 64),
    "HashedText MacroActions": lambda env: HashedText(MacroActions(env, slots=6), 64),
    "NumericInfo": NumericInfo,
    "MacroActions": lambda env: MacroActions(env, slots=4),
    "RecordEpisodes": lambda env: RecordEpisodes(env, "episodes"),
    "RewardShaping": lambda env: RewardShaping(env, step=0.01, time=0.12, invalid=0.1, progress=1.0),
    "Symptoms": lambda env: Symptoms(env, 6),
    "Symptoms HashedText": lambda env: Symptoms(HashedText(env, 64), 6),
}
"""Stacks that show text or take it; what one records goes below the folder that one is in."""

ROWS = "History Symptoms MacroActions"
WORDS = "History HashedText MacroActions"
WORDS_INSIDE = "History MacroActions HashedText"
BOTH = "History Symptoms HashedText MacroActions ClipObservation"
ALL = "RewardShaping History Symptoms HashedText MacroActions Curriculum ClipObservation"

NUMBERS = {
    ROWS: lambda env: History(Symptoms(MacroActions(env, slots=6))),
    WORDS: lambda env: History(HashedText(MacroActions(env, slots=6), 64)),
    WORDS_INSIDE: lambda env: History(MacroActions(HashedText(env, 64), slots=6)),
    BOTH: lambda env: History(Symptoms(HashedText(MacroActions(ClipObservation(env), slots=6), 64)), last=2),
    ALL: lambda env: RewardShaping(
        History(Symptoms(HashedText(MacroActions(Curriculum(ClipObservation(env)), slots=6), 64))), step=0.01
    ),
    "RewardShaping History Symptoms MacroActions": wrap,
    f"{ROWS}, many slots": lambda env: History(Symptoms(MacroActions(env, slots=40, other_slots=2)), last=0),
}
"""Stacks for learners: numbers in and out."""

FOR_RLLIB = {"MaskInObservation": lambda env: rllib.MaskInObservation(wrap(env))}
"""Likewise, without the bound method that Stable-Baselines3 asks for masks: they are in the observation."""

RECORDED = {"RecordedLooks": RecordedLooks}
"""Stacks for recorded incidents, tested in test_recorded_looks.py."""

TASKS = ("Detection", "Localization", "Analysis", "Mitigation")
