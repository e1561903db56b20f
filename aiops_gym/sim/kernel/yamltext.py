"""YAML that somebody else has written: read without what can make a small text large, or the reader climb too deep."""

from __future__ import annotations

from typing import Any

import yaml

from aiops_gym.sim.kernel.nesting import DEEPEST, YAML_WORDS


class Bounded(yaml.SafeLoader):
    """A loader that counts how deep it is, and stops in time.

    Attributes:
        words: what it says then.
    """

    depth = 0
    words = YAML_WORDS

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """A node of the text. Raises ScannerError where it lies too deep."""
        if self.depth == DEEPEST and self.check_event(yaml.CollectionStartEvent):
            raise yaml.scanner.ScannerError(problem=self.words, problem_mark=_mark(self))
        self.depth += 1
        node: yaml.Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _mark(loader: Any) -> Any:
    """Where the next node begins."""
    return loader.peek_event().start_mark


class _Unaliased(Bounded):
    """Settings of programs that read them with yaml-cpp: nothing in them repeats what stands elsewhere."""

    words = "bad file"

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not supported", problem_mark=_mark(self))
        return super().compose_node(parent, index)


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
        return yaml.load(text, _Unaliased)
    except (ValueError, OverflowError) as error:
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
