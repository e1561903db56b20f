"""What models were asked for, and what that cost: sums over episodes, by the reports of their agents."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

DIGITS = 9
"""Of a cost, as in the reports."""

MOST = 1e15
"""Of a cost: what is more is no cost, and no number that can be summed."""


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Sums over episodes.

    Attributes:
        agent: whose episodes they are.
        episodes: those whose agent reported a usage, also where it gave up then.
        requests: sent to a server, retries included.
        prompt_tokens, completion_tokens: read and written by the model.
        estimated: answers whose tokens the server did not count, so that the agent did.
        cost: in the currency of the prices; None where that of an episode is not known.
    """

    agent: str
    episodes: int = 0
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0
    cost: float | None = None

    def __str__(self) -> str:
        """In a few words.

        >>> str(Usage(agent="chat", requests=2, prompt_tokens=200, completion_tokens=20, cost=0.00024))
        '2 requests, 200+20 tokens, cost 0.0002'
        """
        cost = "" if self.cost is None else f", cost {self.cost:.4f}"
        return f"{self.requests} requests, {self.prompt_tokens}+{self.completion_tokens} tokens{cost}"


def sum_usage(agent: str, reports: Iterable[Mapping[str, Any]]) -> Usage | None:
    """The sums of what an agent reported, in any order of its episodes; None where it reported no usage.

    Args:
        agent: its name.
        reports: of its episodes. What counts in one is `usage` with whole numbers `prompt_tokens` and
            `completion_tokens`, and beside them `requests`, `estimated` and `cost` where they are known.

    >>> one, other = ({"usage": {"prompt_tokens": 7, "completion_tokens": each, "cost": 0.5}} for each in (1, 2))
    >>> found = sum_usage("mine", [one, {}, other])
    >>> found.episodes, found.prompt_tokens, found.completion_tokens, found.cost
    (2, 14, 3, 1.0)
    """
    found = [each for report in reports if (each := _told(report))]
    if not found:
        return None
    costs = [each["cost"] for each in found]
    return Usage(
        agent=agent,
        episodes=len(found),
        requests=sum(each["requests"] for each in found),
        prompt_tokens=sum(each["prompt_tokens"] for each in found),
        completion_tokens=sum(each["completion_tokens"] for each in found),
        estimated=sum(each["estimated"] for each in found),
        cost=None if None in costs else round(math.fsum(costs), DIGITS),
    )


def _told(report: Mapping[str, Any]) -> dict[str, Any]:
    """The usage in a report, which anybody's agent may have written; nothing where it is none."""
    told = report.get("usage")
    if not isinstance(told, Mapping) or not all(_counts(told.get(f"{of}_tokens")) for of in ("prompt", "completion")):
        return {}
    names = ("requests", "prompt_tokens", "completion_tokens", "estimated")
    cost: Any = told.get("cost")
    known = type(cost) in (int, float) and 0 <= cost < MOST
    return {name: told[name] if _counts(told.get(name)) else 0 for name in names} | {"cost": cost if known else None}


def _counts(value: Any) -> bool:
    return type(value) is int and value >= 0
