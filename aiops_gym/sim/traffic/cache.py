"""A bounded store of what can always be computed again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """Keeps the most recently used values, up to a total weight.

    A key must name all that its value depends on: the cache is shared by all worlds of the process.

    >>> cache = Cache(2, lambda value: 1)
    >>> [cache.get(key, lambda: key.upper()) for key in "abca"]
    ['A', 'B', 'C', 'A']
    >>> len(cache)
    2
    """

    def __init__(self, limit: int, weigh: Callable[[Value], int]) -> None:
        self.limit = limit
        self.weigh = weigh
        self.weight = 0
        self.values: OrderedDict[Hashable, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self.values)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value under `key`, made when it is not there."""
        found = self.seen(key)
        if found is not None:
            return found
        value = make()
        self.put(key, value)
        return value

    def seen(self, key: Hashable) -> Value | None:
        """The value under `key`, None when it is not there."""
        found = self.values.get(key)
        if found is not None:
            self.values.move_to_end(key)
        return found

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a new value, and forget those that were not used for long."""
        self.values[key] = value
        self.weight += self.weigh(value)
        while self.weight > self.limit and len(self.values) > 1:
            self.weight -= self.weigh(self.values.popitem(last=False)[1])
