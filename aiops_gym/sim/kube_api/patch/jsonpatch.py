"""JSON patch (RFC 6902), with the liberties and the error texts of the library inside Kubernetes (evanphx v4)."""

from __future__ import annotations

import re

import orjson

from aiops_gym.sim.kernel.nesting import JSON_WORDS, is_deep
from aiops_gym.sim.kube_api.decode import copy_json
from aiops_gym.sim.kube_api.patch.errors import PatchError
from aiops_gym.types import Json

MISSING = "missing value"

MOST_COPIED = 3 * 1024 * 1024
"""Bytes that the copies of one patch may add."""


def apply_json_patch(original: Json, operations: Json) -> Json:
    """`original` with a list of operations applied, one after the other. Raises PatchError.

    >>> apply_json_patch({"a": [1, 2]}, [{"op": "add", "path": "/a/1", "value": 9}, {"op": "remove", "path": "/a/0"}])
    {'a': [9, 2]}
    """
    if not isinstance(operations, list) or not all(isinstance(o, dict) for o in operations):
        kind = "object" if isinstance(operations, dict) else "array" if isinstance(operations, list) else "string"
        raise PatchError(f"json: cannot unmarshal {kind} into Go value of type jsonpatch.Patch")
    document, copied = copy_json(original), 0
    for operation in operations:
        op = operation.get("op", "unknown")
        apply = OPERATIONS.get(op) if isinstance(op, str) else None
        if apply is None:
            raise PatchError(f"Unexpected kind: {op}")
        if op == "copy":
            copied += _weigh(document, operation)
            if copied > MOST_COPIED:
                size = f"accumulated size increase of copy is {copied}, exceeding the limit {MOST_COPIED}"
                raise PatchError(f"Unable to complete the copy, the {size}")
        document = apply(document, operation)
    if is_deep(document):
        raise PatchError(JSON_WORDS)
    return document


def _weigh(document: Json, operation: dict[str, Json]) -> int:
    """Bytes of JSON that a copy adds. Raises PatchError for what is too deep to be written down."""
    container, key = _parent(document, _path(operation, "from"))
    value = _step(container, key)
    if is_deep(value):
        raise PatchError(JSON_WORDS)
    return len(orjson.dumps(value))


def _path(operation: dict[str, Json], name: str = "path") -> str:
    path = operation.get(name)
    if not isinstance(path, str):
        raise PatchError(f"{operation.get('op')} operation failed to decode path: missing value")
    return path


def _parent(document: Json, path: str) -> tuple[Json, str]:
    """The container that holds what `path` names, and the last step; (None, "") if there is none."""
    steps = path.split("/")
    if len(steps) < 2:
        return None, ""
    value = document
    for step in steps[1:-1]:
        value = _step(value, _plain(step))
    return (value if isinstance(value, dict | list) else None), _plain(steps[-1])


def _plain(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _step(value: Json, step: str) -> Json:
    if isinstance(value, dict):
        return value.get(step)
    if isinstance(value, list) and re.fullmatch(r"-?\d{1,9}", step) and -len(value) <= int(step) < len(value):
        return value[int(step)]
    return None


def _index(step: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,18}", step):
        raise PatchError(f'strconv.Atoi: parsing "{step}": invalid syntax')
    return int(step)


def _read(container: Json, key: str, where: str) -> Json:
    """What a container holds; a missing key reads as null, a missing index is an error."""
    return container.get(key) if isinstance(container, dict) else container[_existing(container, key, where)]


def _existing(items: list[Json], key: str, where: str) -> int:
    """The index of an item that is there."""
    try:
        index = _index(key)
    except PatchError as error:
        raise PatchError(f"{where}: {error}") from None
    if not -len(items) <= index < len(items):
        raise PatchError(f"{where}: Unable to access invalid index: {index}: invalid index referenced")
    return index


def _add(document: Json, operation: dict[str, Json]) -> Json:
    path = _path(operation)
    if path == "":
        return copy_json(operation.get("value"))
    container, key = _parent(document, path)
    if container is None:
        raise PatchError(f'add operation does not apply: doc is missing path: "{path}": {MISSING}')
    _insert(container, key, copy_json(operation.get("value")), f"error in add for path: '{path}'")
    return document


def _insert(container: Json, key: str, value: Json, where: str) -> None:
    if isinstance(container, dict):
        container[key] = value
        return
    if key == "-":
        container.append(value)
        return
    try:
        index = _index(key)
    except PatchError as error:
        raise PatchError(f"{where}: value was not a proper array index: '{key}': {error}") from None
    size = len(container) + 1
    if not -size <= index < size:
        raise PatchError(f"{where}: Unable to access invalid index: {index}: invalid index referenced")
    container.insert(index + size if index < 0 else index, value)


def _remove(document: Json, operation: dict[str, Json]) -> Json:
    path = _path(operation)
    container, key = _parent(document, path)
    if container is None:
        raise PatchError(f'remove operation does not apply: doc is missing path: "{path}": {MISSING}')
    _delete(container, key, f"error in remove for path: '{path}'")
    return document


def _delete(container: Json, key: str, where: str) -> None:
    if isinstance(container, dict):
        if key not in container:
            raise PatchError(f"{where}: Unable to remove nonexistent key: {key}: {MISSING}")
        del container[key]
    else:
        del container[_existing(container, key, where)]


def _replace(document: Json, operation: dict[str, Json]) -> Json:
    path = _path(operation)
    if path == "":
        return copy_json(operation.get("value"))
    container, key = _parent(document, path)
    if container is None:
        raise PatchError(f"replace operation does not apply: doc is missing path: {path}: {MISSING}")
    value = copy_json(operation.get("value"))
    if isinstance(container, dict):
        container[key] = value  # a missing key is made, against the RFC, as this library does
        return document
    if not (re.fullmatch(r"-?\d{1,9}", key) and -len(container) <= int(key) < len(container)):
        raise PatchError(f"replace operation does not apply: doc is missing key: {path}: {MISSING}")
    container[int(key)] = value
    return document


def _move(document: Json, operation: dict[str, Json]) -> Json:
    source, target = _path(operation, "from"), _path(operation)
    container, key = _parent(document, source)
    if container is None:
        raise PatchError(f"move operation does not apply: doc is missing from path: {source}: {MISSING}")
    value = _read(container, key, f"error in move for path: '{key}'")
    _delete(container, key, f"error in move for path: '{key}'")
    container, key = _parent(document, target)
    if container is None:
        raise PatchError(f"move operation does not apply: doc is missing destination path: {target}: {MISSING}")
    _insert(container, key, value, f"error in move for path: '{target}'")
    return document


def _copy(document: Json, operation: dict[str, Json]) -> Json:
    source, target = _path(operation, "from"), _path(operation)
    container, key = _parent(document, source)
    if container is None:
        raise PatchError(f"copy operation does not apply: doc is missing from path: {source}: {MISSING}")
    value = copy_json(_read(container, key, f"error in copy for from: '{source}'"))
    container, key = _parent(document, target)
    if container is None:
        raise PatchError(f"copy operation does not apply: doc is missing destination path: {target}: {MISSING}")
    _insert(container, key, value, "error while adding value during copy")
    return document


def _test(document: Json, operation: dict[str, Json]) -> Json:
    path, wanted = _path(operation), operation.get("value")
    if path == "":
        found = document
    else:
        container, key = _parent(document, path)
        if container is None:
            raise PatchError(f"test operation does not apply: is missing path: {path}: {MISSING}")
        found = _read(container, key, f"error in test for path: '{path}'")
    if type(found) is not type(wanted) or found != wanted:
        raise PatchError(f"testing value {path} failed: test failed")
    return document


OPERATIONS = {"add": _add, "remove": _remove, "replace": _replace, "move": _move, "copy": _copy, "test": _test}
