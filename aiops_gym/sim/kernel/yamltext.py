"""YAML that somebody else has written: read without what can make a small text large, or the reader climb too deep."""

from __future__ import annotations

from typing import Any

import yaml


def load(text: str) -> Any:
    """The data of a text. Raises yaml.YAMLError, for aliases too.

    >>> load("a: [1, {b: c}]")
    {'a': [1, {'b': 'c'}]}
    >>> load("a: &x [1]\\nb: *x")
    Traceback (most recent call last):
        ...
    yaml.error.MarkedYAMLError: aliases are not supported
      in "<unicode string>", line 2, column 4:
        b: *x
           ^
    """
    try:
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            if isinstance(token, yaml.AliasToken):
                raise yaml.MarkedYAMLError(problem="aliases are not supported", problem_mark=token.start_mark)
        return yaml.safe_load(text)
    except (RecursionError, ValueError, OverflowError) as error:
        raise yaml.YAMLError(f"cannot be read: {type(error).__name__}") from error


def to_plain(value: Any) -> Any:
    """The same with sorted keys that are text, and without values that JSON does not have."""
    if isinstance(value, dict):
        return {
            key: to_plain(inner)
            for key, inner in sorted(((str(k), v) for k, v in value.items()), key=lambda pair: pair[0])
        }
    if isinstance(value, list):
        return [to_plain(inner) for inner in value]
    number = isinstance(value, float) and value - value == 0.0
    return value if number or value is None or isinstance(value, str | bool) or _small(value) else str(value)


def _small(value: Any) -> bool:
    return isinstance(value, int) and abs(value) < 1 << 53
