"""apply: from what somebody asks for now, and asked for last time, to what has to change.

Client-side apply computes a strategic patch from three versions; server-side apply merges by the keys of each list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kube_api.decode import copy_json
from aiops_gym.sim.kube_api.patch.merge import create_merge_patch
from aiops_gym.sim.kube_api.patch.strategic import DELETE, ORDER, PATCH, RETAIN
from aiops_gym.sim.kube_api.schema import Field, fields
from aiops_gym.types import Json

Map = Mapping[str, Any]


def apply_three_way(original: Map, modified: Map, current: Map, type_name: str) -> dict[str, Json]:
    """The patch of `kubectl apply`: {} when nothing has to change.

    Args:
        original: what was applied last time (`last-applied-configuration`), or {}.
        modified: what is applied now.
        current: what the server has.
        type_name: of the object, see `schema.type_of`; a strategic patch with it, a merge patch without ("").
    """
    if not type_name:
        return _merge_patch(original, modified, current)
    additions = _changes(current, modified, type_name)
    deletions = _deletions(original, modified, current, type_name)
    return _joined(deletions, additions)


def _merge_patch(original: Map, modified: Map, current: Map) -> dict[str, Json]:
    changes = _without_nulls(create_merge_patch(current, modified))
    gone = _only_nulls(create_merge_patch(original, modified), current)
    return _joined(gone, changes)


def _without_nulls(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    inner = {k: _without_nulls(v) for k, v in value.items() if v is not None}
    return {k: v for k, v in inner.items() if v != {} or value[k] == {}}


def _only_nulls(patch: Json, current: Json) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, value in patch.items():
        if isinstance(current, Mapping) and key in current:
            if value is None:
                found[key] = None
            elif isinstance(value, dict) and (inner := _only_nulls(value, current[key])):
                found[key] = inner
    return found


def _joined(first: dict[str, Json], second: dict[str, Json]) -> dict[str, Json]:
    """Two patches of one object in one; where both speak of a list, the items of both."""
    joined = dict(first)
    for key, value in second.items():
        before = joined.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            joined[key] = _joined(before, value)
        elif isinstance(before, list) and isinstance(value, list) and not key.startswith("$"):
            joined[key] = _in_order([*before, *value], second.get(ORDER + key) or first.get(ORDER + key) or [])
        else:
            joined[key] = value
    return joined


def _in_order(items: list[Json], order: list[Json]) -> list[Json]:
    """Items of a patch in the order that is asked for beside them; deletions first."""
    if not order or not all(isinstance(entry, Mapping) for entry in order):
        return items
    by = next(iter(order[0]))
    positions = [entry[by] for entry in order]
    return sorted(items, key=lambda item: positions.index(item[by]) if item[by] in positions else -1)


def _changes(current: Map, modified: Map, type_name: str) -> dict[str, Json]:
    """What `modified` has that `current` has not, or has otherwise."""
    known, patch = fields(type_name), dict[str, Json]()
    for key, wanted in modified.items():
        declared, now = known.get(key), current.get(key)
        if wanted is None:
            if now is not None:
                patch[key] = None
        elif now is None:
            patch[key] = wanted
        elif isinstance(wanted, Mapping) and isinstance(now, Mapping):
            inner = _changes(now, wanted, declared.type if declared and not declared.shape else "")
            if inner:
                if declared and declared.retain:
                    inner[RETAIN] = sorted(k for k, v in wanted.items() if v is not None)
                patch[key] = inner
        elif isinstance(wanted, list) and isinstance(now, list) and declared and (declared.merge_key or declared.merge):
            _list_changes(patch, key, now, wanted, declared)
        elif wanted != now:
            patch[key] = wanted
    return patch


def _is_key(value: Json) -> bool:
    """Whether a value can tell the items of a list apart; what somebody wrote by hand need not."""
    return isinstance(value, str | int | float)


def _list_changes(patch: dict[str, Json], key: str, now: list[Json], wanted: list[Json], declared: Field) -> None:
    by = declared.merge_key
    if not by or not all(isinstance(i, Mapping) and _is_key(i.get(by)) for i in (*now, *wanted)):
        added = [item for item in wanted if item not in now]
        if added:
            patch[key], patch[ORDER + key] = added, list(wanted)
        return
    before = {item[by]: item for item in now}
    items = []
    for item in wanted:
        old = before.get(item[by])
        if old is None:
            items.append(item)
        elif inner := _changes(old, item, declared.type):
            if declared.retain:
                inner[RETAIN] = sorted(k for k, v in item.items() if v is not None)
            items.append({by: item[by], **inner})
    order = [item[by] for item in wanted]
    if items or [i[by] for i in now if i[by] in order] != order:
        patch[ORDER + key] = [{by: value} for value in order]
        if items:
            patch[key] = items


def _deletions(original: Map, modified: Map, current: Map, type_name: str) -> dict[str, Json]:
    """What `original` had and `modified` has no more, where it is still there."""
    known, patch = fields(type_name), dict[str, Json]()
    for key, before in original.items():
        declared, now, wanted = known.get(key), current.get(key), modified.get(key)
        if now is None or before is None:
            continue
        if wanted is None:
            patch[key] = None
        elif isinstance(before, Mapping) and isinstance(wanted, Mapping) and isinstance(now, Mapping):
            if inner := _deletions(before, wanted, now, declared.type if declared and not declared.shape else ""):
                patch[key] = inner
        elif isinstance(before, list) and isinstance(wanted, list) and isinstance(now, list) and declared:
            _list_deletions(patch, key, (before, wanted, now), declared)
    return patch


def _list_deletions(
    patch: dict[str, Json], key: str, versions: tuple[list[Json], list[Json], list[Json]], declared: Field
) -> None:
    before, wanted, now = versions
    by = declared.merge_key
    if declared.merge and not by:
        if gone := [item for item in before if item not in wanted and item in now]:
            patch[DELETE + key] = gone
        return
    if not by or not all(isinstance(i, Mapping) and _is_key(i.get(by)) for i in (*before, *wanted, *now)):
        return
    kept, there = {i[by]: i for i in wanted}, {i[by]: i for i in now}
    items: list[Json] = []
    for item in before:
        if item[by] not in there:
            continue
        if item[by] not in kept:
            items.append({PATCH: "delete", by: item[by]})
        elif inner := _deletions(item, kept[item[by]], there[item[by]], declared.type):
            items.append({by: item[by], **inner})
    if items:
        patch[key], patch[ORDER + key] = items, [{by: i[by]} for i in wanted]


def apply_server_side(current: Map, intent: Map, type_name: str) -> dict[str, Json]:
    """`current` with an intent applied over it.

    >>> now = {"spec": {"containers": [{"name": "a", "image": "x"}]}}
    >>> apply_server_side(now, {"spec": {"containers": [{"name": "a", "tty": True}]}}, "Pod")
    {'spec': {'containers': [{'name': 'a', 'image': 'x', 'tty': True}]}}
    """
    return dict(_overlay(copy_json(current), intent, type_name))


def _overlay(current: Json, intent: Json, type_name: str) -> Json:
    if not isinstance(current, dict) or not isinstance(intent, Mapping):
        return copy_json(intent)
    known = fields(type_name)
    for key, value in intent.items():
        declared = known.get(key)
        inner = declared.type if declared and not declared.shape else ""
        if isinstance(value, list) and declared and isinstance(current.get(key), list):
            current[key] = _overlay_list(current[key], value, declared)
        elif value is None:
            current.pop(key, None)
        else:
            current[key] = _overlay(current.get(key), value, inner)
    return current


def _overlay_list(current: list[Json], intent: list[Json], declared: Field) -> list[Json]:
    if declared.unique:
        return [*current, *(item for item in intent if item not in current)]
    keys = declared.map_keys
    if not keys or not all(isinstance(i, Mapping) for i in (*current, *intent)):
        return list(copy_json(intent))
    merged = list(current)
    for item in intent:
        wanted = _map_key(item, keys)
        at = next((i for i, old in enumerate(merged) if _map_key(old, keys) == wanted), -1)
        if at < 0:
            merged.append(copy_json(item))
        else:
            merged[at] = _overlay(merged[at], item, declared.type)
    return merged


def _map_key(item: Map, keys: tuple[str, ...]) -> list[Json]:
    return [item.get(k, "TCP" if k == "protocol" else None) for k in keys]
