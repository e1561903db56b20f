"""Strategic merge patch: lists of containers, ports or volumes merge by key (apimachinery `strategicpatch`).

The directives `$patch` (merge, replace, delete), `$retainKeys`, `$setElementOrder/<list>` and
`$deleteFromPrimitiveList/<list>` are understood.
"""

from __future__ import annotations

from aiops_gym.sim.kube_api.decode import copy_json
from aiops_gym.sim.kube_api.patch.errors import PatchError, go
from aiops_gym.sim.kube_api.schema import Field, fields
from aiops_gym.types import Json

PATCH, RETAIN, ORDER, DELETE = "$patch", "$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/"


def apply_strategic_merge(original: Json, patch: Json, type_name: str) -> Json:
    """`original`, an object of the named type, with a patch applied; neither is changed. Raises PatchError.

    >>> before = {"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b"}]}}
    >>> apply_strategic_merge(before, {"spec": {"containers": [{"name": "b", "image": "y"}]}}, "Pod")
    {'spec': {'containers': [{'name': 'a', 'image': 'x'}, {'name': 'b', 'image': 'y'}]}}
    """
    if not isinstance(patch, dict) or not isinstance(original, dict):
        raise PatchError("invalid JSON document")
    return _map(copy_json(original), copy_json(patch), type_name)


def _map(original: dict[str, Json], patch: dict[str, Json], type_name: str) -> dict[str, Json]:
    """Both are private copies."""
    if PATCH in patch:
        directive = patch.pop(PATCH)
        if directive == "replace":
            return patch
        if directive == "delete":
            return {}
        raise PatchError(f"unknown patch type: {directive} in map: {go({PATCH: directive, **patch})}")
    if RETAIN in patch:
        _retain(original, patch)
    _ordered(original, patch, type_name)
    known = fields(type_name)
    for key, value in patch.items():
        if key.startswith(DELETE):
            name = key.removeprefix(DELETE)
            if isinstance(original.get(name), list) and isinstance(value, list):
                original[name] = [item for item in original[name] if item not in value]
        elif value is None:
            original.pop(key, None)
        else:
            original[key] = _value(original.get(key), value, known.get(key), key, type_name)
    return original


def _value(before: Json, value: Json, declared: Field | None, key: str, owner: str) -> Json:
    if isinstance(before, dict) and isinstance(value, dict):
        if declared is None and fields(owner):
            raise PatchError(f'unable to find api field in struct {owner} for the json field "{key}"')
        return _map(before, value, declared.type if declared and not declared.shape else "")
    if isinstance(before, list) and isinstance(value, list):
        if declared is None and fields(owner):
            raise PatchError(f'unable to find api field in struct {owner} for the json field "{key}"')
        if declared and (declared.merge_key or declared.merge):
            return _list(before, value, declared)
    return _plain(value)


def _plain(value: Json) -> Json:
    """What a patch adds where nothing was: without nulls and directives."""
    if isinstance(value, dict):
        return {
            k: _plain(v)
            for k, v in value.items()
            if v is not None and not (k in (PATCH, RETAIN) or k.startswith((ORDER, DELETE)))
        }
    if isinstance(value, list):
        return [_plain(v) for v in value if not _is_delete(v)]
    return value


def _retain(original: dict[str, Json], patch: dict[str, Json]) -> None:
    keep = patch.pop(RETAIN)
    given = [k for k, v in patch.items() if v is not None and not k.startswith(("$",))]
    if not isinstance(keep, list) or any(k not in keep for k in given):
        raise PatchError("patch format of retainKeys is invalid")
    for key in [k for k in original if k not in keep]:
        del original[key]


def _list(original: list[Json], patch: list[Json], declared: Field) -> list[Json]:
    """Two lists of one merge-able field."""
    if not original and not patch:
        return original
    maps = [isinstance(item, dict) for item in (*original, *patch)]
    if any(maps) and not all(maps):
        raise PatchError(f"list element types are not identical: [{go(original)} {go(patch)}]")
    if any(isinstance(item, list) for item in (*original, *patch)):
        raise PatchError("lists of lists are not supported")
    if not all(maps):
        merged = list(dict.fromkeys((*original, *patch)))
        return _sorted(merged, patch, original, "")
    key = declared.merge_key
    original, patch = _special(original, patch, key)
    merged = list(original)
    for item in patch:
        wanted = _merge_value(item, key)
        at = next((i for i, old in enumerate(merged) if _merge_value(old, key) == wanted), -1)
        if at < 0:
            merged.append(item)
        else:
            merged[at] = _map(merged[at], dict(item), declared.type)
    return _sorted(merged, patch, original, key)


def _merge_value(item: dict[str, Json], key: str) -> Json:
    if key not in item:
        raise PatchError(f"map: {go(item)} does not contain declared merge key: {key}")
    return item[key]


def _special(original: list[Json], patch: list[Json], key: str) -> tuple[list[Json], list[Json]]:
    """Carry out `$patch` items of a list; what is left of both lists."""
    rest, replace = [], False
    for item in patch:
        directive = item.get(PATCH)
        if directive is None:
            rest.append(item)
        elif directive == "delete":
            wanted = _merge_value(item, key)
            original = [old for old in original if old.get(key) != wanted]
        elif directive == "replace":
            replace = True
        elif directive == "merge":
            raise PatchError("merging lists cannot yet be specified in the patch")
        else:
            raise PatchError(f"unknown patch type: {directive} in map: {go(item)}")
    if replace:
        for item in rest:
            _merge_value(item, key)
    return (rest, []) if replace else (original, rest)


def _ordered(original: dict[str, Json], patch: dict[str, Json], type_name: str) -> None:
    """Carry out `$setElementOrder/<list>`, with the list itself, which then needs no more merging."""
    for directive in [k for k in patch if k.startswith(ORDER)]:
        name, order = directive.removeprefix(ORDER), patch.pop(directive)
        declared = fields(type_name).get(name)
        if declared is None or not isinstance(order, list):
            raise PatchError("invalid setElementOrder list" if declared else f"unable to find api field {name}")
        key = declared.merge_key
        wanted = [item[key] for item in order if isinstance(item, dict) and key in item] if key else order
        changes, before = patch.get(name), original.get(name)
        if isinstance(changes, list):
            _check_order(changes, order, wanted, key)
            before = before if isinstance(before, list) else []
            merged = _list(before, changes, declared) if before else [_plain(i) for i in changes if not _is_delete(i)]
            patch.pop(name)
        elif isinstance(before, list):
            merged = before
        else:
            continue
        server = list(before) if isinstance(before, list) else []
        here = [i for i in merged if _identity(i, key) in wanted]
        original[name] = _weave(here, [i for i in merged if _identity(i, key) not in wanted], wanted, server, key)


def _is_delete(item: Json) -> bool:
    return isinstance(item, dict) and PATCH in item


def _check_order(changes: list[Json], order: list[Json], wanted: list[Json], key: str) -> None:
    present = [i for i in changes if not _is_delete(i)]
    if key and all(isinstance(i, dict) for i in present):
        positions = [wanted.index(v) if (v := _merge_value(i, key)) in wanted else -1 for i in present]
    else:
        positions = [wanted.index(i) if i in wanted else -1 for i in present]
    if -1 in positions or positions != sorted(positions):
        raise PatchError(
            f"The order in patch list:\n{go(changes)}\n doesn't match $setElementOrder list:\n{go(order)}\n"
        )


def _identity(item: Json, key: str) -> Json:
    return item.get(key) if key and isinstance(item, dict) else item


def _sorted(merged: list[Json], patch: list[Json], server: list[Json], key: str) -> list[Json]:
    """Items of the patch in the patch's order, woven into the server's own."""
    wanted = [_identity(i, key) for i in patch]
    here = [i for i in merged if _identity(i, key) in wanted]
    rest = [i for i in merged if _identity(i, key) not in wanted]
    return _weave(here, rest, wanted, server, key)


def _weave(here: list[Json], rest: list[Json], wanted: list[Json], server: list[Json], key: str) -> list[Json]:
    before = [_identity(i, key) for i in server]

    def place(item: Json) -> int:
        identity = _identity(item, key)
        return before.index(identity) if identity in before else -1

    here = sorted(here, key=lambda i: wanted.index(_identity(i, key)))
    rest = sorted(rest, key=place)
    woven: list[Json] = []
    while rest and here:
        left, right = place(rest[0]), place(here[0])
        woven.append((rest if 0 <= left < right else here).pop(0))
    return woven + rest + here
