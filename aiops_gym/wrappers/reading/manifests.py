"""What the deployments and services of an application are made of, in a form in which they can be compared.

Two components that are alike differ in their names and ports. In the normal form both stand as marks, so that what
still differs is a difference: `db-cart` mounts `cart-disk`, as `db-user` mounts `user-disk`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from aiops_gym import caches
from aiops_gym.wrappers.reading.fields import CONTAINER, POD, REPLICAS, SERVICE

Path: TypeAlias = tuple[Any, ...]
Leaves: TypeAlias = Mapping[Path, Any]
Marks: TypeAlias = tuple[tuple[re.Pattern[str], str], ...]

_MARK = "\x01"  # stands in no name: what follows says which part of the name, or which port
_EMPTY = "\x02"


@dataclass(frozen=True, eq=False)
class Manifest:
    """Fields of one object as they are, and in the normal form.

    Attributes:
        name: of the deployment or service.
        image: of the first container, without its tag.
        ports: that the first container declares.
        labels: of its pods.
        values: by the names of `fields.FIELDS`.
        leaves: of each of them, in the normal form.
    """

    name: str
    image: str
    ports: tuple[int, ...]
    labels: Mapping[str, str]
    values: Mapping[str, Any]
    leaves: Mapping[str, Leaves]


@caches.function(8_192, "parsing a line of the listing of deployments")
def parse_deployment(line: str) -> Manifest | None:
    """What a line of the listing of deployments tells, None where it was cut: name, replicas, labels, pod spec.

    >>> line = 'cart\\t1\\t{"app":"cart"}\\t{"containers":[{"command":["cart"],"image":"shop:v1","name":"c"}]}'
    >>> found = parse_deployment(line)
    >>> found.image, found.values["container command"], found.leaves["container command"]
    ('shop', ['cart'], {(): ('\\x01kebab 0',)})
    """
    cells = [_json(cell) for cell in line.split("\t")[1:]]
    if len(cells) != 3 or not isinstance(cells[2], dict) or not cells[2].get("containers"):
        return None
    replicas, labels, pod = cells
    first = pod["containers"][0]
    values: dict[str, Any] = {REPLICAS: replicas}
    values |= {f"container {name}": first[name] for name in CONTAINER if name in first}
    values |= {f"pod {name}": pod[name] for name in POD if name in pod}
    ports = tuple(port["containerPort"] for port in first.get("ports", ()))
    image = str(first.get("image", "")).rpartition("@")[2]
    image = image if ":" not in image.rpartition("/")[2] else image.rpartition(":")[0]
    return _manifest(line.partition("\t")[0], image, ports, labels or {}, values)


@caches.function(8_192, "parsing a line of the listing of services")
def parse_service(line: str, image: str, ports: tuple[int, ...]) -> Manifest | None:
    """What a line of the listing of services tells: name and spec; image and ports are those of its deployment."""
    name, _, spec = line.partition("\t")
    found = _json(spec)
    if not isinstance(found, dict):
        return None
    return _manifest(name, image, ports, {}, {f"service {key}": found[key] for key in SERVICE if key in found})


def _manifest(
    name: str, image: str, ports: tuple[int, ...], labels: Mapping[str, str], values: Mapping[str, Any]
) -> Manifest:
    marks = _marks(name)
    # An image is shared by many and named after none of them.
    leaves = {
        field: {(): value} if field == "container image" else dict(_flat(value, (), marks, ports))
        for field, value in values.items()
    }
    return Manifest(name, image, ports, labels, values, leaves)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _marks(name: str) -> Marks:
    """Patterns of a name, whole and in part, in the ways in which names are written, the longest first."""
    words = name.split("-")
    # The whole, all but the first word, all but the last one: `db-cart`, `cart`; `cart-db`, `cart`.
    parts = [(i, part) for i, part in enumerate((words, words[1:], words[:-1])) if part]
    found = [
        (style(part), f"{_MARK}{kind} {i}")
        for i, part in parts
        for kind, style in STYLES.items()
        if i == 0 or kind == "kebab"
    ]
    unique = dict(reversed(found))
    ordered = sorted(unique.items(), key=lambda each: -len(each[0]))
    return tuple((re.compile(rf"(?<![A-Za-z0-9\x01]){re.escape(text)}(?![A-Za-z0-9])"), mark) for text, mark in ordered)


STYLES: Mapping[str, Callable[[Sequence[str]], str]] = {
    "kebab": "-".join,
    "snake": "_".join,
    "camel": lambda words: "".join(word.capitalize() for word in words),
}
"""Ways in which the words of a name are written together."""


def _flat(value: Any, path: Path, marks: Marks, ports: tuple[int, ...]) -> Iterator[tuple[Path, Any]]:
    """Each single value below one, by the path to it; the items of a list are known by their names, where they have."""
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _flat(each, (*path, key), marks, ports)
    elif isinstance(value, list) and value and not any(isinstance(each, dict | list) for each in value):
        yield path, tuple(_marked(each, marks, ports) for each in value)
    elif isinstance(value, list) and value:
        for i, each in enumerate(value):
            named = isinstance(each, dict) and isinstance(each.get("name"), str)
            key = ("", _marked(each["name"], marks, ports)) if named else ("", i)
            yield from _flat(each, (*path, key), marks, ports)
    else:
        yield path, _marked(_EMPTY + json.dumps(value) if value in ({}, []) else value, marks, ports)


def _marked(value: Any, marks: Marks, ports: tuple[int, ...]) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and value in ports:
        return f"{_MARK}port {ports.index(value)}"
    if isinstance(value, str) and value.isdecimal() and int(value) in ports:
        return f"{_MARK}text {ports.index(int(value))}"
    if isinstance(value, str):
        for pattern, mark in marks:
            value = pattern.sub(mark, value)
    return value


class Unfit(ValueError):
    """A mark that a component has nothing for."""


_MARKS = re.compile(r"\x01(kebab|snake|camel) (\d)")


def fill_leaves(leaves: Leaves, name: str, ports: tuple[int, ...]) -> Any:
    """The value that leaves stand for, for a component with a name and ports.

    Raises:
        Unfit: a part of the name or a port that the component does not have.

    >>> fill_leaves({(): ('\\x01camel 0', '--quiet')}, "user-service", ())
    ['UserService', '--quiet']
    """
    tree: Any = None
    for path, value in leaves.items():
        tree = _put(tree, path, _unmarked(value, name, ports))
    return _listed(tree)


def _put(tree: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    tree = {} if tree is None else tree
    tree[path[0]] = _put(tree.get(path[0]), path[1:], value)
    return tree


def _listed(tree: Any) -> Any:
    """Dicts whose keys are those of a list's items, as lists."""
    if not isinstance(tree, dict):
        return tree
    if tree and all(isinstance(key, tuple) for key in tree):
        return [_listed(each) for each in tree.values()]
    return {key: _listed(each) for key, each in tree.items()}


def _unmarked(value: Any, name: str, ports: tuple[int, ...]) -> Any:
    if isinstance(value, tuple):
        return [_unmarked(each, name, ports) for each in value]
    if not isinstance(value, str):
        return value
    if value.startswith(_EMPTY):
        return json.loads(value[1:])
    if value.startswith((f"{_MARK}port ", f"{_MARK}text ")):
        at = int(value[6:])
        if at >= len(ports):
            raise Unfit(f"{name} has no port {at}")
        return ports[at] if value[1:5] == "port" else str(ports[at])
    return _MARKS.sub(lambda found: _part(found[1], int(found[2]), name), value)


def _part(kind: str, at: int, name: str) -> str:
    words = name.split("-")
    part = (words, words[1:], words[:-1])[at]
    if not part:
        raise Unfit(f"{name} is one word")
    return STYLES[kind](part)
