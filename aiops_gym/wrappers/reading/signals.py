"""What monitoring and the cluster's memory tell: who is named in alerts, and who was changed how lately."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime

from aiops_gym.wrappers.reading.spans import find_named

CHANGES_SINCE = 20
"""Minutes of changes that are asked for."""

_ALERT = re.compile(r"^ *(?:firing|pending) +\S+Z +(?!none )\S+ +\S+ +(.*)$", re.MULTILINE)
_CHANGE = re.compile(r"^(\S+Z) +\S+ +([a-z]+)/(\S+) +(revision \d+: .*|wrote .*|created)$", re.MULTILINE)
_NOTES = re.compile(r"wrote(?: \.metadata\.annotations\.\S+)+")


def find_alerted(text: str, components: Collection[str]) -> set[str]:
    """Components that alerts name, but for one that is no trouble, as the one that always fires.

    >>> rows = ("critical PodDown pod=pay-5d8-x9", "none Watchdog cart")
    >>> find_alerted("\\n".join(f" firing 2026-03-03T10:48:14Z {row}" for row in rows), ["pay", "cart"])
    {'pay'}
    """
    return set(find_named("\n".join(_ALERT.findall(text)), components))


def find_edited(text: str, components: Collection[str]) -> dict[str, float]:
    """How lately components were changed, or what is named after them: 1 for the newest, one half a minute before it.

    >>> rows = ("10:03:00Z kubectl service/pay wrote .spec.type", "10:02:00Z - deployment/cart revision 2: image")
    >>> find_edited("\\n".join(f"2026-03-03T{row}" for row in rows), ["pay", "cart", "ad"])
    {'pay': 1.0, 'cart': 0.5}
    """
    rows = [
        (datetime.fromisoformat(at), name) for at, _, name, what in _CHANGE.findall(text) if not _NOTES.fullmatch(what)
    ]
    newest = max((at for at, _ in rows), default=None)
    found: dict[str, float] = {}
    for at, name in rows:
        for component in find_named(name, components):
            assert newest is not None
            found[component] = max(found.get(component, 0.0), 1 / (1 + (newest - at).total_seconds() / 60))
    return found
