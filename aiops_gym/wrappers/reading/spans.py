"""A summary of traces: which component fails or is slow by itself, and which only waits for another."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from aiops_gym import caches

SUMMARY = (
    "awk -F, 'NR == 1 {{ for (i = 1; i <= NF; i++) at[$i] = i; next }} "
    '{{ id = $at["span_id"]; up = $at["parent_span"]; of[id] = $at["service_name"] " " $at["operation_name"]; '
    'who[id] = $at["service_name"]; above[id] = up; '
    'own[id] += $at["duration"]; own[up] -= $at["duration"]; '
    'if ($at["has_error"] == "True") {{ bad[id] = 1; passed[up] = 1 }} }} '
    "END {{ for (id in of) {{ n[of[id]]++; us[of[id]] += own[id]; if (id in bad && !(id in passed)) f[of[id]]++; "
    "up = above[id]; if (up in who && who[up] != who[id]) to[of[up]] = who[id] }} "
    'for (x in n) printf "%d spans, %d failed, %d us: %s -> %s\\n", n[x], f[x], us[x] / n[x], x, to[x] }}\' '
    "{traces} | sort -t: -k2"
)
"""How often each operation fails by itself, how long it takes by itself, and whom it calls."""

_ROW = re.compile(r"^(\d+) spans, (\d+) failed, (-?\d+) us: (\S+) (.+?) -> ?(\S*)$", re.MULTILINE)
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True)
class Operation:
    """One row.

    Attributes:
        caller: component whose span it is, "" for an unknown one.
        called: component that it calls, "" where it calls none that is known.
        failed: share that failed by itself, 0 to 1.
        seconds: that it took by itself.
    """

    caller: str
    called: str
    failed: float
    seconds: float


def parse_operations(text: str, components: Collection[str]) -> list[Operation]:
    """The rows of a summary.

    >>> row = "10 spans, 5 failed, 20000 us: shop-service cart_mongo_find_client -> "
    >>> parse_operations(row, ["shop-service", "cart-mongodb", "cart-redis"])
    [Operation(caller='shop-service', called='cart-mongodb', failed=0.5, seconds=0.02)]
    """
    names = tuple(components)
    return [
        Operation(
            caller := _nearest(service, names),
            (_nearest(callee, names) if callee else _guess(service, operation, caller, names)),
            min(1.0, int(failed) / max(1, int(n))),
            max(0, int(us)) / 1e6,
        )
        for n, failed, us, service, operation, callee in _ROW.findall(text)
    ]


@caches.function(4_096, "finding the component that a service is")
def _nearest(service: str, names: tuple[str, ...]) -> str:
    """The component that a service of the traces is: that of its name, or the one with most words in common."""
    if service in names:
        return service
    words = _words(service)
    shared = {name: sum(any(_like(w, v) for w in words) for v in _words(name)) for name in names}
    best = max(shared, key=lambda name: (shared[name], -len(name)), default="")
    return best if best and shared[best] else ""


@caches.function(16_384, "finding the component that an operation names")
def _guess(service: str, operation: str, caller: str, names: tuple[str, ...]) -> str:
    """The component that an operation is named after, in which more than its caller is named; "" for none."""
    said, mine = _words(operation), _words(service)
    best, length = "", 0
    for name in names:
        words = _words(name)
        short = words[:-1] if words[-1] == "service" and len(words) > 1 else words
        whole = all(any(_like(w, v) for w in (*said, *mine)) for v in short)
        new = any(any(_like(w, v) for w in said) and not any(_like(w, v) for w in mine) for v in short)
        if name != caller and whole and new and len(short) > length:
            best, length = name, len(short)
    return best


@caches.function(16_384, "splitting a name into words")
def _words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(text))


@caches.function(65_536, "comparing two words")
def _like(left: str, right: str) -> bool:
    """Whether two words are the same, begin alike, or one is the other without its vowels."""
    if left == right:
        return True
    short, long = sorted((left, right), key=len)
    if len(short) >= 4 and long.startswith(short[: max(4, len(short) - 2)]):
        return True
    return len(short) >= 3 and not set(short) & set("aeiou") and _within(short, long)


def _within(short: str, long: str) -> bool:
    letters = iter(long)
    return short[0] == long[0] and all(letter in letters for letter in short)


def find_named(text: str, names: Collection[str]) -> Iterator[str]:
    """Components whose name stands in a text, as it is written or as a word of it."""
    whole = set(re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", text))
    words = {word.removesuffix("s") for word in _words(text)}
    return (name for name in names if name in whole or name.removesuffix("-service") in words)
