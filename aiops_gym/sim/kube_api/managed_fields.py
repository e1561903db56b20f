"""Who wrote which fields of an object: what server-side apply needs to refuse conflicts and to drop fields.

Owners are kept beside the objects, in the table `managers`, and only for writes that name a manager: whatever happens
by itself, or was done before, owns nothing and shows nowhere. With them is when each wrote last, which clients read in
`metadata.managedFields`. A field is a path of steps as `fieldsV1` writes them,
`f:spec`, `k:{"name":"app"}`, `v:"x"`; an item of a keyed list is a field of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from aiops_gym import caches
from aiops_gym.sim.kernel.objects import Obj, uid_of
from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.schema import Field, fields, type_of
from aiops_gym.sim.kube_api.status import ApiError, quote
from aiops_gym.types import Json, Request

Map = Mapping[str, Any]
Path = tuple[str, ...]
Paths = frozenset[Path]

APPLY, UPDATE = "Apply", "Update"
CLIENT_SIDE = "kubectl-client-side-apply"
ATOMIC = frozenset(
    (
        *("LabelSelector", "ConfigMapKeySelector", "SecretKeySelector", "LocalObjectReference", "ObjectReference"),
        *("TypedLocalObjectReference", "NodeSelector", "NodeSelectorTerm", "ObjectFieldSelector"),
        *("ResourceFieldSelector", "TopologySelectorTerm", "ScopeSelector", "CrossVersionObjectReference"),
        *("SecretReference", "RoleRef", "Subject", "EndpointAddress", "EndpointPort", "RoleRef"),
    )
)
"""Types that have one owner as a whole."""

ATOMIC_FIELDS = frozenset((("PodSpec", "nodeSelector"), ("ServiceSpec", "selector")))
NOBODYS = ("apiVersion", "kind", "status")
NOBODYS_METADATA = (
    *("name", "namespace", "creationTimestamp", "selfLink", "uid", "resourceVersion", "generation", "managedFields"),
    *("generateName", "deletionTimestamp", "deletionGracePeriodSeconds"),
)


class Manager(NamedTuple):
    """Who writes, and how.

    Attributes:
        name: as it calls itself.
        operation: `Apply` or `Update`.
        version: of the API it used; "" for `Apply`, which is the same manager in any.
        subresource: it wrote through, "" for the object itself.
    """

    name: str
    operation: str
    version: str = ""
    subresource: str = ""

    def __str__(self) -> str:
        through = f" with subresource {quote(self.subresource)}" if self.subresource else ""
        return f"{quote(self.name)}{through}{f' using {self.version}' if self.version else ''}"


Owners = dict[Manager, Paths]

_SHOWN = caches.slot(f"{__name__}.shown", "writing down who owns the fields of an object")


def find_owned(obj: Map, type_name: str) -> Paths:
    """The fields of an object that somebody can own.

    >>> sorted(find_owned({"kind": "Pod", "spec": {"containers": [{"name": "a", "tty": True}]}}, "Pod"))[1][-2:]
    ('k:{"name":"a"}', 'f:name')
    """
    return frozenset(_owned(_ownable(obj), type_name, ()))


def _ownable(obj: Map) -> dict[str, Json]:
    """An object without what the server alone writes."""
    metadata = {k: v for k, v in (obj.get("metadata") or {}).items() if k not in NOBODYS_METADATA}
    rest = {k: v for k, v in obj.items() if k not in NOBODYS and k != "metadata"}
    return {**rest, **({"metadata": metadata} if metadata else {})}


def _owned(value: Map, type_name: str, above: Path) -> Iterator[Path]:
    known = fields(type_name)
    for name, inner in value.items():
        if inner is not None:
            yield from _field(inner, known.get(name), (*above, f"f:{name}"), (type_name, name))


def _field(value: Json, declared: Field | None, path: Path, place: tuple[str, str]) -> Iterator[Path]:
    kind = declared.type if declared else ""
    if isinstance(value, Mapping) and value and kind not in ATOMIC and place not in ATOMIC_FIELDS:
        yield from _owned(value, "" if declared and declared.shape else kind, path)
    elif isinstance(value, list) and value and declared and declared.unique:
        yield from ((*path, f"v:{_compact(item)}") for item in value)
    elif isinstance(value, list) and value and declared and _keyed(value, declared):
        for item in value:
            step = (*path, step_of(item, declared))
            yield step
            yield from _owned(item, kind, step)
    else:
        yield path


def _keyed(items: list[Json], declared: Field) -> bool:
    return bool(declared.map_keys) and all(isinstance(item, Mapping) for item in items)


def step_of(item: Map, declared: Field) -> str:
    """How an item of a keyed list is named: `k:{"containerPort":80,"protocol":"TCP"}`."""
    keys = {key: item.get(key, "TCP" if key == "protocol" else None) for key in sorted(declared.map_keys)}
    return f"k:{_compact({key: value for key, value in keys.items() if value is not None})}"


def _compact(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def compare_fields(old: Map, new: Map, type_name: str) -> tuple[Paths, Paths]:
    """The fields of `new` that are not, or not so, in `old`; and those of `old` that are gone."""
    before, after = _ownable(old), _ownable(new)
    had, has = frozenset(_owned(before, type_name, ())), frozenset(_owned(after, type_name, ()))
    values, others = dict(_leaves(before, type_name, ())), dict(_leaves(after, type_name, ()))
    put = {path for path in has if path not in had or values.get(path) != others.get(path)}
    return frozenset(put), had - has


def _leaves(value: Map, type_name: str, above: Path) -> Iterator[tuple[Path, Json]]:
    """Fields with their values, those that are no map and no keyed list."""
    known = fields(type_name)
    for name, inner in value.items():
        declared, path = known.get(name), (*above, f"f:{name}")
        kind = declared.type if declared else ""
        if isinstance(inner, Mapping) and inner and kind not in ATOMIC and (type_name, name) not in ATOMIC_FIELDS:
            yield from _leaves(inner, "" if declared and declared.shape else kind, path)
        elif isinstance(inner, list) and inner and declared and _keyed(inner, declared):
            for item in inner:
                yield from _leaves(item, kind, (*path, step_of(item, declared)))
        elif not (isinstance(inner, list) and inner and declared and declared.unique):
            yield path, inner


def read(world: World, resource: Resource, obj: Map) -> Owners:
    """The owners of an object's fields; nobody, if an earlier one of this name had them."""
    return {Manager(*who): frozenset(map(tuple, paths)) for who, paths, _ in _list_rows(world, resource, obj)}


def _list_rows(world: World, resource: Resource, obj: Map) -> list[Json]:
    """Who owns which fields, and when (ms) they wrote last."""
    uid, rows = world.table("managers").get(_key(resource, obj), ("", ()))
    return [_complete(row) for row in rows] if uid == uid_of(obj) else []


def _complete(row: Json) -> Json:
    """A row with the time of the last write; states that were saved before times were kept have none."""
    return row if len(row) == 3 else [*row, 0]


def write(world: World, resource: Resource, obj: Map, owners: Owners, author: Manager) -> None:
    """Keep the owners of an object's fields, of whom one has just written."""
    times = {Manager(*who): at for who, _, at in _list_rows(world, resource, obj)} | {author: world.now}
    rows = [[list(who), sorted(map(list, paths)), times[who]] for who, paths in sorted(owners.items()) if paths]
    world.table("managers")[_key(resource, obj)] = [uid_of(obj), rows]


def show(world: World, resource: Resource, obj: Obj) -> Obj:
    """An object with its `metadata.managedFields`, as `get` and `list` answer; the same where nobody owns anything."""
    known = world.table("managers").get(_key(resource, obj))
    if known is None or known[0] != uid_of(obj):
        return obj
    seen = obj.memo.get(_SHOWN)
    if seen is None or seen[0] is not known:
        fields_ = [_show_row(resource, *row) for row in sorted(map(_complete, known[1]), key=lambda row: row[2])]
        meta = {**obj["metadata"], "managedFields": fields_}
        seen = obj.memo[_SHOWN] = (known, Obj({**obj, "metadata": meta}))
    return seen[1]


def _show_row(resource: Resource, who: list[str], paths: list[list[str]], at: int) -> dict[str, Json]:
    manager = Manager(*who)
    nested: dict[str, Json] = {}
    for path in paths:
        place = nested
        for step in path:
            place = place.setdefault(step, {})
    row = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": manager.version or resource.api_version,
        "time": iso(at),
        "fieldsType": "FieldsV1",
        "fieldsV1": nested,
    }
    return {**row, "subresource": manager.subresource} if manager.subresource else row


def _key(resource: Resource, obj: Map) -> str:
    return f"{resource.name} {obj['metadata'].get('namespace', '')}/{obj['metadata']['name']}"


def note_update(world: World, resource: Resource, request: Request, old: Map | None, new: Map) -> None:
    """Note who changed what by a write that is no apply: these fields are his, and nobody else's, from now on."""
    name = request.query.get("fieldManager", "")
    if not name:
        return
    put, gone = compare_fields(old or {}, new, type_of(resource.api_version, resource.kind))
    if not put and not gone:
        return
    who = Manager(name, UPDATE, resource.api_version, request.subresource)
    owners = {other: paths - put - gone for other, paths in read(world, resource, new).items() if other != who}
    owners[who] = (read(world, resource, new).get(who, frozenset()) | put) - gone
    write(world, resource, new, owners, who)


def apply_ownership(owners: Owners, who: Manager, put: Paths, gone: Paths, wanted: Paths, force: bool) -> Owners:
    """The owners after an apply that asks for `wanted` and changes `put` and `gone`.

    Raises Conflict where it would change what belongs to others, unless it is forced.
    """
    lost = {other: paths & put for other, paths in owners.items() if other != who and paths & put}
    if lost and not force:
        raise conflicts(lost)
    left = {other: paths - lost.get(other, frozenset()) - gone for other, paths in owners.items() if other != who}
    mine = wanted
    if who.name == "kubectl":  # after an apply kubectl itself hands over what its client-side apply had
        former = [other for other in left if other.name == CLIENT_SIDE and other.operation == UPDATE]
        mine = mine.union(*(left.pop(other) for other in former))
    return {**left, who: mine}


def conflicts(lost: Mapping[Manager, Paths]) -> ApiError:
    """The refusal of an apply, with each field and its owner."""
    found = [(who, format_path(path)) for who in sorted(lost, key=str) for path in sort_paths(lost[who])]
    causes = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {who}", "field": path} for who, path in found
    ]
    if len(found) == 1:
        who, path = found[0]
        return ApiError(
            409, "Conflict", f"Apply failed with 1 conflict: conflict with {who}: {path}", {"causes": causes}
        )
    lines = []
    for who in dict.fromkeys(who for who, _ in found):
        lines += [f"conflicts with {who}:", *(f"- {path}" for other, path in found if other == who)]
    text = f"Apply failed with {len(found)} conflicts: " + "\n".join(lines)
    return ApiError(409, "Conflict", text, {"causes": causes})


def sort_paths(paths: Paths, above: Path = ()) -> list[Path]:
    """Fields as a set of them is walked: those of a level before what lies deeper."""
    depth = len(above)
    here = sorted(path for path in paths if len(path) == depth + 1)
    steps = sorted({path[depth] for path in paths if len(path) > depth + 1})
    deeper = [
        sort_paths(frozenset(p for p in paths if len(p) > depth + 1 and p[depth] == step), (*above, step))
        for step in steps
    ]
    return [*here, *(path for found in deeper for path in found)]


def format_path(path: Path) -> str:
    """A field as errors name it.

    >>> format_path(("f:spec", "f:containers", 'k:{"name":"app"}', "f:image"))
    '.spec.containers[name="app"].image'
    """
    return "".join(map(_shown_step, path))


def _shown_step(step: str) -> str:
    kind, text = step[:2], step[2:]
    if kind == "f:":
        return f".{text}"
    if kind == "v:":
        return f"[={text}]"
    return f"[{','.join(f'{key}={_compact(value)}' for key, value in json.loads(text).items())}]"


def remove_fields(obj: Map, gone: Paths, type_name: str) -> dict[str, Json]:
    """An object without some fields; what becomes empty by that goes too."""
    return _without(obj, gone, type_name, ())


def _without(value: Map, gone: Paths, type_name: str, above: Path) -> dict[str, Json]:
    known, kept = fields(type_name), dict[str, Json]()
    for name, inner in value.items():
        declared, path = known.get(name), (*above, f"f:{name}")
        if path in gone:
            continue
        touched = any(other[: len(path)] == path for other in gone)
        left = _rest(inner, gone, declared, path) if touched else inner
        if not touched or left not in ({}, []):
            kept[name] = left
    return kept


def _rest(value: Json, gone: Paths, declared: Field | None, path: Path) -> Json:
    kind = declared.type if declared else ""
    if isinstance(value, Mapping):
        return _without(value, gone, "" if declared and declared.shape else kind, path)
    if not isinstance(value, list) or declared is None:
        return value
    if declared.unique:
        return [item for item in value if (*path, f"v:{_compact(item)}") not in gone]
    steps = [(item, (*path, step_of(item, declared))) for item in value]
    return [_without(item, gone, kind, step) for item, step in steps if step not in gone]
