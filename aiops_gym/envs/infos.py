"""The infos of many environments as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

Infos: TypeAlias = dict[str, Any]

NUMBERS = (int, float, bool)
"""Types of Python whose values an info holds in an array of numbers."""


def merge_infos(infos: Sequence[Infos | None]) -> Infos:
    """The infos of all environments as one: an array for each key, and under `_key` who has it.

    The same as Gymnasium's vectors make, in one pass a key: numbers in arrays of their type, dicts merged likewise,
    everything else as objects. None stands for an environment that has no info.

    >>> both = merge_infos([{"step": 1, "tool": "submit"}, {"step": 2, "tool": ""}])
    >>> both["step"].tolist(), both["tool"].tolist(), both["_step"].tolist()
    ([1, 2], ['submit', ''], [True, True])
    """
    keys = tuple(infos[0] or ())
    if any(info is None or tuple(info) != keys for info in infos):
        return _merged_with_gaps(infos)
    everyone: Infos = {}
    if not keys:
        return everyone
    all_have_it = np.ones(len(infos), np.bool_)
    for key, values in zip(keys, zip(*(info.values() for info in infos if info), strict=True), strict=True):
        everyone[key] = _column(key, values, values[0])
        everyone[f"_{key}"] = all_have_it.copy()
    return everyone


def _merged_with_gaps(infos: Sequence[Infos | None]) -> Infos:
    """The same where not every environment has every key."""
    everyone: Infos = {}
    for key in dict.fromkeys(key for info in infos for key in info or ()):
        has = [info is not None and key in info for info in infos]
        values = [info[key] if info is not None and there else None for info, there in zip(infos, has, strict=True)]
        first = values[has.index(True)]
        if key != "final_obs" and not isinstance(first, Mapping) and (blank := _blank(first)) is not None:
            values = [value if there else blank for value, there in zip(values, has, strict=True)]
        everyone[key] = _column(key, values, first)
        everyone[f"_{key}"] = np.array(has, np.bool_)
    return everyone


def _blank(first: Any) -> Any:
    """What stands in an array for an environment that has no value; None where nothing does."""
    if isinstance(first, np.ndarray):
        return np.zeros_like(first)
    return type(first)() if _is_number(first) else None


def _is_number(value: Any) -> bool:
    return type(value) in NUMBERS or isinstance(value, np.number)


def _column(key: str, values: Sequence[Any], first: Any) -> Any:
    """The values of one key, of which the first that is there says of what kind they are."""
    if key != "final_obs" and type(first) is not str:  # most are texts, and the questions below take time
        if _is_number(first):
            return np.array(values, type(first))
        if type(first) is dict or isinstance(first, Mapping):
            return merge_infos(values)
        if isinstance(first, np.ndarray):
            return np.stack(values)
    return np.fromiter(values, object, len(values))
