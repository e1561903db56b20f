"""Every cache of the package: what it is kept under, how much it keeps, what it saves; and one switch for all.

A cache holds what can be worked out again from its key. No answer depends on one: `make test-uncached` runs the tests
that would notice without any. Each declares itself here, and `docs/caches.md` is written from the declarations.

Four things can be kept: what a function returned (`function`), values under keys of their own (`Cache`), what was read
of one stored object or one world (`slot`, in its `memo`), and what belongs to one world alone (`Beside`). None is keyed
by an address in memory, which another object may have a moment later.

The environment variable `AIOPS_GYM_CACHES` is for tests and measurements, and read once, when this is imported: `off`
turns all caches off, `switches` lets `Entry.off` turn each off while the process runs.
"""

from __future__ import annotations

import inspect
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import lru_cache, wraps
from typing import Any, Final, Generic, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

from aiops_gym.errors import ArgumentError

VARIABLE: Final = "AIOPS_GYM_CACHES"
SETTINGS: Final = ("", "off", "switches")

PURE: Final = "nothing can: it follows from the key"

P = ParamSpec("P")
R = TypeVar("R")
Value = TypeVar("Value")


class Entry:
    """What a cache says of itself; a row of the table.

    Attributes:
        name: module and name in it.
        key: what a value is kept under.
        bound: how many it keeps; 0 where they go with the object that they were read from.
        unit: what is counted.
        ends: what makes a value wrong, and so is noticed.
        saves: what is not done again.
        off: whether it keeps nothing, and answers as if it were empty.
        met: whether it was asked to keep anything; of functions and slots it is only known with `switches`.
        forget: empties what keeps the results of a function; for tests.
    """

    __slots__ = ("bound", "ends", "forget", "key", "met", "name", "off", "saves", "unit")

    def __init__(self, name: str, saves: str, *, key: str, bound: int, unit: str = "values", ends: str = PURE) -> None:
        self.name = name.removeprefix("aiops_gym.")
        self.saves, self.key, self.bound, self.unit, self.ends = saves, key, bound, unit, ends
        self.off = SETTING == "off"
        self.met = False
        self.forget: Callable[[], None] = lambda: None
        if self.name in ENTRIES:
            raise ArgumentError(f"two caches are called {self.name}; each needs a name of its own")
        ENTRIES[self.name] = self


def _setting() -> str:
    given = os.environ.get(VARIABLE, "")
    if given not in SETTINGS:
        raise ArgumentError(f"{VARIABLE}={given} means nothing: it is for tests, and `off`, `switches` or not set")
    return given


SETTING: Final = _setting()

ENTRIES: Final[dict[str, Entry]] = {}
"""All caches of the modules imported so far, by name."""


def function(bound: int, saves: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep what a function returned under its arguments. It must follow from them alone, and nobody may change it.

    Args:
        bound: so many results, those used last.
        saves: what is not done again.
    """

    def decorate(plain: Callable[P, R]) -> Callable[P, R]:
        names = ", ".join(inspect.signature(plain).parameters)
        entry = Entry(f"{plain.__module__}.{plain.__qualname__}", saves, key=names, bound=bound)
        remembering = lru_cache(maxsize=bound)(plain)
        entry.forget, kept = remembering.cache_clear, cast("Callable[P, R]", remembering)
        if SETTING != "switches":
            return plain if entry.off else kept

        @wraps(plain)
        def switched(*args: P.args, **kwargs: P.kwargs) -> R:
            entry.met = True
            return plain(*args, **kwargs) if entry.off else kept(*args, **kwargs)

        return switched

    return decorate


class Cache(Generic[Value]):
    """Keeps the most recently used values, up to the bound of its entry.

    A key must name all that its value depends on: the cache is shared by all worlds of the process.

    >>> cache = Cache(Entry("doctest", "shouting", key="the text", bound=2))
    >>> [cache.get(key, lambda: key.upper()) for key in "abca"]
    ['A', 'B', 'C', 'A']
    >>> len(cache) == (0 if cache.entry.off else 2)
    True
    >>> del ENTRIES["doctest"]

    Args:
        entry: what it is.
        weigh: how much of the bound a value takes; each takes one where this is not given.
    """

    def __init__(self, entry: Entry, weigh: Callable[[Value], int] = lambda _: 1) -> None:
        self.entry = entry
        self.weigh, self.bound = weigh, entry.bound
        self.weight = 0
        self.values: OrderedDict[Hashable, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self.values)

    def clear(self) -> None:
        """Forget all values; for tests and measurements."""
        self.values.clear()
        self.weight = 0

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value under `key`, made when it is not there."""
        found = self.seen(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found

    def seen(self, key: Hashable) -> Value | None:
        """The value under `key`, None when it is not there."""
        if self.entry.off:
            return None
        found = self.values.get(key)
        if found is not None:
            with suppress(KeyError):  # another thread has just put it out
                self.values.move_to_end(key)
        return found

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a new value, and forget those that were not used for long."""
        self.entry.met = True
        if self.entry.off:
            return
        old = self.values.pop(key, None)
        if old is not None:
            self.weight -= self.weigh(old)
        self.values[key] = value
        self.weight += self.weigh(value)
        while self.weight > self.bound and len(self.values) > 1:
            self.weight -= self.weigh(self.values.popitem(last=False)[1])


class ByValue:
    """Data that cannot be hashed, as part of a key: compared by value, which is quick where it is the same object.

    What stands beside it in the key must tell most keys apart: its own hash says nothing. Numbers of another type are
    equal here as they are in Python (1, 1.0, True): use it where only their value counts.
    """

    __slots__ = ("data",)

    def __init__(self, data: Any) -> None:
        self.data = data

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByValue) and (self.data is other.data or bool(self.data == other.data))


class Beside(Generic[Value]):
    """One value beside each object, which goes with it. The object is held weakly, and no other is taken for it."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.values: WeakKeyDictionary[Any, Value] = WeakKeyDictionary()

    def get(self, of: Any, make: Callable[[], Value]) -> Value:
        """The value beside an object, made when it is not there."""
        self.entry.met = True
        found = None if self.entry.off else self.values.get(of)
        if found is None:
            found = self.values[of] = make()
        return found


SEALED: Final = "nothing may: nobody changes the object"

Slot = str | tuple[str, Hashable]
"""A name in a `memo`; what an object has several of is told apart by what stands beside the name."""

OBJECT: Final = "a write to the object, which makes another"


def slot(name: str, saves: str, *, key: str = "the stored object", ends: str = OBJECT) -> str:
    """Declare what is kept in the `memo` of objects or worlds; the name there."""
    return Entry(name, saves, key=key, bound=0, ends=ends).name


class _Switched(dict[Slot, Any]):
    """A memo that does not have what is turned off."""

    def __getitem__(self, key: Slot) -> Any:
        if _off(key):
            raise KeyError(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) and not _off(key)

    def get(self, key: Slot, default: Any = None) -> Any:
        return default if _off(key) else super().get(key, default)

    def setdefault(self, key: Slot, default: Any = None) -> Any:
        return default if _off(key) else super().setdefault(key, default)

    def __setitem__(self, key: Slot, value: Any) -> None:
        if not _off(key):
            super().__setitem__(key, value)

    def copy(self) -> _Switched:
        return _Switched(self)


def _off(key: object) -> bool:
    entry = ENTRIES[str(key[0] if isinstance(key, tuple) else key)]
    entry.met = True
    return entry.off


memo: Final[Callable[[], dict[Any, Any]]] = _Switched if SETTING else dict
"""A new one, for an object or a world."""
