"""Recorded telemetry of a bank, a market and a telecom operator: data sets, labels, scoring, synthesis.

Everything is imported when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aiops_gym.openrca.dataset import BankDataset, MarketDataset, TelecomDataset
    from aiops_gym.openrca.problems import Problem, problems_from_query_csv
    from aiops_gym.openrca.scoring import Score, score
    from aiops_gym.openrca.synth import synthesize

__all__ = [
    "BankDataset",
    "MarketDataset",
    "Problem",
    "Score",
    "TelecomDataset",
    "problems_from_query_csv",
    "score",
    "synthesize",
]

_WHERE = {
    "dataset": ("BankDataset", "MarketDataset", "TelecomDataset"),
    "problems": ("Problem", "problems_from_query_csv"),
    "scoring": ("Score", "score"),
    "synth": ("synthesize",),
}
_LAZY = {name: module for module, names in _WHERE.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(f"aiops_gym.openrca.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'aiops_gym.openrca' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
