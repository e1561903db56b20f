"""In what a component differs from those that are like it: the first thing one looks for in a list of manifests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from aiops_gym import caches
from aiops_gym.wrappers.reading.fields import NEEDED
from aiops_gym.wrappers.reading.manifests import Leaves, Manifest, Path, Unfit, fill_leaves

Places: TypeAlias = Mapping[Path, Mapping[Any, int]]
Usual: TypeAlias = Mapping[str, Places]

ALIKE, WEAK = 0.5, 0.75
"""Share of the peers, and where there are none of all others, that must agree for it to count as usual."""


@dataclass(frozen=True)
class Drift:
    """One field of a component that is not as in its peers.

    Attributes:
        leaves: what it would be there, empty for nothing, in the normal form.
        strength: 1 where no peer has what it has; less where some do, or where it has no peers and all are asked.
        extra: items of a list that no peer has.
    """

    leaves: Leaves
    strength: float
    extra: tuple[Any, ...] = ()


def find_drifts(manifests: Mapping[str, Manifest]) -> dict[str, dict[str, Drift]]:
    """By component, then by field.

    Args:
        manifests: of deployments, or of services, by name; peers run the same image.

    >>> from aiops_gym.wrappers.reading.manifests import parse_deployment
    >>> line = '{0}\\t1\\t{{}}\\t{{"containers":[{{"command":["{1}"],"image":"shop:v1"}}]}}'
    >>> names = {"cart": "cart", "pay": "pay", "user": "cart"}
    >>> found = find_drifts({name: parse_deployment(line.format(name, word)) for name, word in names.items()})
    >>> [(name, list(fields)) for name, fields in found.items() if fields]
    [('user', ['container command'])]
    """
    groups: dict[str, list[Manifest]] = {}
    for each in manifests.values():
        groups.setdefault(each.image, []).append(each)
    everyone = tuple(manifests.values())
    found: dict[str, dict[str, Drift]] = {}
    for group in groups.values():
        found |= _of_group(tuple(group), tuple(group) if len(group) > 2 else everyone)
    return found


@caches.function(1_024, "comparing the manifests of a group")
def _of_group(group: tuple[Manifest, ...], circle: tuple[Manifest, ...]) -> dict[str, dict[str, Drift]]:
    """Those of some components, among others; most episodes meet the same manifests again."""
    close, usual = len(group) > 2, _counted(circle)
    share, weight = (ALIKE, 1.0) if close else (WEAK, 0.5)
    return {each.name: _of_one(each, usual, len(circle) - 1, share, weight) for each in group}


@caches.function(256, "counting the values in manifests")
def _counted(circle: tuple[Manifest, ...]) -> Usual:
    """How often each value stands at each place of each field."""
    usual: dict[str, dict[Path, dict[Any, int]]] = {}
    for each in circle:
        for field, leaves in each.leaves.items():
            places = usual.setdefault(field, {})
            for path, value in leaves.items():
                votes = places.setdefault(path, {})
                votes[value] = votes.get(value, 0) + 1
    return usual


def _of_one(one: Manifest, usual: Usual, others: int, share: float, weight: float) -> dict[str, Drift]:
    found = {}
    for field, places in usual.items():
        drift = _field(one.leaves.get(field, {}), places, others, share, weight)
        if drift:
            found[field] = drift
    return found


def _field(own: Leaves, places: Places, others: int, share: float, weight: float) -> Drift | None:
    if not others:
        return None
    wanted, strength, kept = {}, 0.0, {}
    for path, counter in places.items():
        there, mine = path in own, own.get(path)
        # Its own vote does not count.
        if len(counter) == 1:
            [(value, total)] = counter.items()
            votes = total = total - there
        else:
            value, votes = max(((v, n - (v == mine and there)) for v, n in counter.items()), key=_votes)
            total = sum(counter.values()) - there
        if votes > share * others:
            wanted[path] = value
            if not there or mine != value:
                strength = max(strength, 1 - (counter[mine] - 1 if there else others - total) / others)
        elif there:
            if total < (1 - share) * others:
                strength = max(strength, 1 - (counter[mine] - 1) / others)
                kept[path] = mine
            else:
                wanted[path] = mine  # there is no usual value: its own is as good
    if not strength:
        return None
    extra = _extra(kept, wanted) if wanted else ()
    whole = {path: value for path, value in own.items() if path and path[0] in extra}
    return Drift({**wanted, **whole}, weight * strength, extra)


def _extra(kept: Leaves, wanted: Leaves) -> tuple[Any, ...]:
    """Items of a list that only this one has, under names of their own: kept where others have some too."""
    named = (path[0] for path in kept if path and isinstance(path[0], tuple) and isinstance(path[0][1], str))
    return tuple(item for item in dict.fromkeys(named) if not any(path and path[0] == item for path in wanted))


def _votes(each: tuple[Any, int]) -> int:
    return each[1]


def match_peers(manifest: Manifest, field: str, drift: Drift) -> tuple[Any, bool] | None:
    """What the field would be if it were as in the peers, and whether it would be there; None where that is no change.

    Items of a list that only this component has are kept.
    """
    if not drift.leaves:
        return None if field in NEEDED else (None, False)
    try:
        value = fill_leaves(drift.leaves, manifest.name, manifest.ports)
    except Unfit:
        return None
    return None if value == manifest.values.get(field) else (value, True)


def trim_to_peers(manifest: Manifest, field: str, drift: Drift) -> tuple[Any, bool] | None:
    """What is left of a field without the items that no peer has, or nothing of it; None where that is no change."""
    if field in NEEDED or field not in manifest.values:
        return None
    left = {
        path: value for path, value in manifest.leaves[field].items() if path[:1] not in [(e,) for e in drift.extra]
    }
    if not drift.extra or not left:
        return None, False
    return fill_leaves(left, manifest.name, manifest.ports), True
