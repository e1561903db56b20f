"""What was said and done from the page to the report, and what each stage of it is worth, from 0 to 1."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any, Self

from aiops_gym.backends.base import Assessment, Harm, Path
from aiops_gym.tasks.base import Truth

STAGES = ("detection", "path", "repair", "harm", "time")

PROMPT = 300.0
"""Seconds from the page within which it costs nothing to say that something is wrong."""

SWIFT = 900.0
"""Seconds from the page within which it costs nothing to have resolved an incident."""

SLIGHT = 1.0
"""Minutes of failing requests that are no harm to speak of."""


@dataclass(frozen=True, kw_only=True)
class Handled:
    """How an incident was handled so far.

    Attributes:
        detected: seconds from the page until it was said that something is wrong; None where it never was.
        diagnosis: what was said last: `components`, `kinds`, `path`.
        resolved: seconds from the page until it was said to be over.
        left: the system as it was then.
        after: whether something was done in the system since.
        closed: `report` or `no_incident`, "" while the episode goes on.
        text: of the report.
    """

    detected: float | None = None
    diagnosis: Mapping[str, Any] = field(default_factory=dict)
    resolved: float | None = None
    left: Assessment | None = None
    after: bool = False
    closed: str = ""
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Back from JSON data."""
        left = data.get("left")
        return cls(**{**data, "left": left and Assessment(**{name: _frozen(value) for name, value in left.items()})})

    def say(self, seconds: float, call: str, answer: Mapping[str, Any]) -> Self:
        """The same once something was said after so many seconds."""
        found = self if self.detected is not None else replace(self, detected=seconds)
        if call == "diagnose":
            return replace(found, diagnosis=answer)
        return replace(found, resolved=seconds) if call == "resolve" else found


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def rate_detection(handled: Handled, healthy: bool, limit: float) -> float:
    """Whether it was said that something is wrong where it is, and how soon; or that nothing is, and nothing else.

    Args:
        handled: what was said.
        healthy: whether nothing is wrong.
        limit: seconds of the episode.
    """
    if healthy:
        return (1.0 if handled.detected is None else 0.5) if handled.closed == "no_incident" else 0.0
    return 0.0 if handled.detected is None else 1.0 - 0.5 * _lateness(handled.detected, PROMPT, limit)


def rate_time(handled: Handled, limit: float) -> float:
    """How soon it was resolved."""
    return 0.0 if handled.resolved is None else 1.0 - _lateness(handled.resolved, SWIFT, limit)


def _lateness(seconds: float, free: float, limit: float) -> float:
    """0 within the free time, and 1 at the limit."""
    return min(1.0, max(0.0, (seconds - free) / (limit - free))) if limit > free else float(seconds > free)


def rate_harm(left: Assessment, harm: Harm) -> float:
    """How little users and the system suffered from what was done: 0 where something is lost for good.

    Users count in full where they had no more failing minutes than if nobody had done anything, and not at all where
    they had twice as many; each healthy object that was changed halves it.
    """
    more = (harm.minutes - harm.idle) / max(harm.idle, SLIGHT)
    return 0.0 if left.damage else min(1.0, max(0.0, 1.0 - more)) * 0.5 ** len(left.collateral)


def rate_diagnosis(said: Mapping[str, Any], causes: Sequence[Truth], path: Path) -> dict[str, float]:
    """What a diagnosis is worth, part by part; parts that cannot be asked are left out.

    Args:
        said: `components`, `kinds` and `path`; empty where nothing was.
        causes: what is wrong; a target is "" where it lies in no component, but in a node or a quota.
        path: from there to users, as it was measured.
    """
    components = _clean(said.get("components", ()))
    chains = [_clean(chain) for chain in said.get("path", ())]
    edges = {frozenset(pair) for chain in chains for pair in pairwise(chain) if pair[0] != pair[1]}
    known = {frozenset(edge) for edge in path.edges}
    found = {"path_kinds": _rate_kinds(said.get("kinds", ()), causes), "path_edges": compute_f1(edges, known)}
    if path.nodes:
        found["path_nodes"] = compute_f1({name for chain in (components, *chains) for name in chain}, set(path.nodes))
    places = {truth.target.lower() for truth in causes if truth.target}
    if places:
        same = {alias.lower(): truth.target for truth in causes for alias in truth.aliases}
        named = {same.get(name, name).lower() for name in components}
        found["path_components"] = compute_f1(named, places)
        found["path_kinds"] *= found["path_components"]  # a kind says something of a component, and not of any
    return found if said else dict.fromkeys(found, 0.0)


def compute_f1(named: Collection[Any], right: Collection[Any]) -> float:
    """The harmonic mean of precision and recall; 1 where nothing is right and nothing is named.

    >>> compute_f1({"geo", "rate"}, {"geo"}), compute_f1((), ()), compute_f1({"geo"}, ())
    (0.6666666666666666, 1.0, 0.0)
    """
    both = len({*named} & {*right})
    return 2 * both / (len(named) + len(right)) if named or right else 1.0


def _rate_kinds(kinds: Iterable[Any], causes: Sequence[Truth]) -> float:
    """Half a point a label, as Analysis gives it; further kinds than causes dilute it."""
    given = [{key: str(value).strip().lower() for key, value in each.items()} for each in kinds if each]
    points = sum(max((_grade(each, truth) for each in given), default=0.0) for truth in causes)
    return points / max(len(given), len(causes), 1)


def _grade(kind: Mapping[str, str], truth: Truth) -> float:
    labels = ((truth.layer, truth.kind), *truth.also_accept)
    given = (kind.get("system_level"), kind.get("fault_type"))
    return max(0.5 * (given[0] == layer.lower()) + 0.5 * (given[1] == what.lower()) for layer, what in labels)


def _clean(names: Iterable[str]) -> list[str]:
    return [name.strip().lower() for name in names]
