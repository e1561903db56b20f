"""What ours and the real one answer to a case."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import promql_judge
from promql_cases import Case
from promql_compare import Reply, differ
from promql_samples import Samples

from aiops_gym.sim.software.prometheus_api import router

AGAIN = 6
"""How often the real one is asked again where ours answers something else."""


class Described(Samples):
    """Samples whose metrics nobody has described."""

    def list_metrics(self) -> list[tuple[str, str, str]]:
        """None."""
        return []


def ours(samples: Samples, case: Case) -> Reply:
    """Status and parsed body."""
    status, text = router.answer(Described(samples.series), 0, f"{case[0]}?{urlencode(case[1], doseq=True)}")
    return status, json.loads(text) if text.startswith("{") else text


def real(address: str, case: Case) -> Reply:
    """Status and parsed body."""
    return promql_judge.ask(address, *case)


def judge(address: str, samples: Samples, case: Case, wanted: Any = None) -> str:
    """What is not the same, or nothing; also where the real one does not answer twice the same: it reads maps."""
    wanted = wanted or real(address, case)
    wrong = differ(case[1].get("query", ""), wanted, ours(samples, case))
    if wrong and any(real(address, case) != wanted for _ in range(AGAIN)):
        return ""
    return f"{case[0]} {case[1]}\n    {wrong}" if wrong else ""
