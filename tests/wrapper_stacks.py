"""The stacks of wrappers that the documentation shows, and each wrapper alone."""

from __future__ import annotations

from aiops_gym.wrappers import (
    ClipObservation,
    Curriculum,
    HashedText,
    History,
    MacroActions,
    RewardShaping,
    Symptoms,
)

TEXT = {
    "clip": lambda env: ClipObservation(env, 2_000),
    "hashed": lambda env: HashedText(env, 64),
    "symptoms": lambda env: Symptoms(env, 6),
    "shaping": lambda env: RewardShaping(env, step=0.01, time=0.01, invalid=0.1, progress=1.0),
    "curriculum": Curriculum,
    "hashed, symptoms": lambda env: Symptoms(HashedText(env, 64), 6),
}
"""Stacks in which the agent still writes text."""

NUMBERS = {
    "rows": lambda env: History(Symptoms(MacroActions(env, slots=6))),
    "words": lambda env: History(HashedText(MacroActions(env, slots=6), 64)),
    "words inside": lambda env: History(MacroActions(HashedText(env, 64), slots=6)),
    "both": lambda env: History(Symptoms(HashedText(MacroActions(ClipObservation(env), slots=6), 64)), last=2),
    "prices": lambda env: RewardShaping(History(Symptoms(MacroActions(env, slots=6))), step=0.01, progress=1.0),
    "all": lambda env: RewardShaping(
        History(Symptoms(HashedText(MacroActions(Curriculum(ClipObservation(env)), slots=6), 64))), step=0.01
    ),
    "many slots": lambda env: History(Symptoms(MacroActions(env, slots=40, other_slots=2)), last=0),
}
"""Stacks for learners: numbers in and out."""
