"""What the agent knows of each system, one a file, found by scanning this folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aiops_gym.scan import scan

if TYPE_CHECKING:
    from aiops_gym.agents.rules.indicators import Knowledge


def find(reasons: Sequence[str]) -> Knowledge | None:
    """Of the system whose failures have these reasons."""
    knowledge: Knowledge
    for knowledge in scan(__name__, "knowledge").values():
        if {symptom.reason for symptom in knowledge.symptoms} <= set(reasons):
            return knowledge
    return None
