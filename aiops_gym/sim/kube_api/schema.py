"""Which fields each kind has, of which types, and how lists of them are merged.

`schema.json` beside this file is taken from the OpenAPI document of Kubernetes 1.32;
`tests/sim/kube_api/make_schema.py` says how.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from aiops_gym import caches


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a type.

    Attributes:
        type: `str`, `bool`, `int32`, `quantity`, `any` ..., or the name of a type with fields.
        shape: "" for one value, `list` or `map` for many of them.
        merge_key: of a list that strategic patches merge by key.
        merge: whether a strategic patch merges a list of plain values.
        retain: whether `$retainKeys` comes with it.
        map_keys: what identifies an item for server-side apply.
        unique: whether a list of plain values is a set.
        required: whether an object without it is incomplete, and it is written even when empty.
    """

    type: str
    shape: str = ""
    merge_key: str = ""
    merge: bool = False
    retain: bool = False
    map_keys: tuple[str, ...] = ()
    unique: bool = False
    required: bool = False


def split_words(text: str) -> frozenset[str]:
    """The words of a text, for long sets of names."""
    return frozenset(text.split())


@cache
def _data() -> dict[str, Any]:
    return dict(orjson.loads(files(__package__).joinpath("schema.json").read_bytes()))


@caches.function(1024, "the name of a kind's type")
def type_of(api_version: str, kind: str) -> str:
    """The name of a kind's type, "" if this kind has no schema.

    >>> type_of("apps/v1", "Deployment"), type_of("v1", "Event"), type_of("metrics.k8s.io/v1beta1", "PodMetrics")
    ('Deployment', 'core.v1.Event', '')
    """
    return str(_data()["kinds"].get(f"{api_version}/{kind}", ""))


@cache
def fields(type_name: str) -> dict[str, Field]:
    """The fields of a type, empty for plain values.

    >>> fields("PodSpec")["containers"].merge_key, fields("str")
    ('name', {})
    """
    return {name: _field(text) for name, text in _data()["types"].get(type_name, {}).items()}


def _field(text: str) -> Field:
    type_name, *options = text.split()
    shape = {"[": "list", "{": "map"}.get(type_name[0], "")
    given = dict(option.split("=") for option in options if "=" in option)
    return Field(
        type=type_name[1:-1] if shape else type_name,
        shape=shape,
        merge_key=given.get("key", ""),
        merge="merge" in options,
        retain="retain" in options,
        map_keys=tuple(given["map"].split(",")) if "map" in given else (),
        unique="set" in options,
        required="required" in options,
    )
