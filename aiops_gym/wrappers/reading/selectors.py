"""Label selectors as kubectl prints them: `app=cart,tier in (front,back),!old`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

_PART = re.compile(
    r"(?P<key>[\w./-]+) (?P<word>in|notin) \((?P<values>[^)]*)\)"
    r"|(?P<plain>[\w./-]+)(?P<sign>==?|!=)(?P<value>[\w.-]*)"
    r"|(?P<no>!?)(?P<there>[\w./-]+)"
)

Rule = tuple[str, str, frozenset[str]]

_RULES: Mapping[str, Callable[[Mapping[str, str], str, frozenset[str]], bool]] = {
    "in": lambda labels, key, values: labels.get(key) in values,
    "notin": lambda labels, key, values: labels.get(key) not in values,
    "there": lambda labels, key, _: key in labels,
    "gone": lambda labels, key, _: key not in labels,
}


def parse_selector(text: str) -> list[Rule]:
    """Key, kind and values of each requirement; none in what chooses everything.

    >>> parse_selector("app in (cart),tier!=back,!old")
    [('app', 'in', frozenset({'cart'})), ('tier', 'notin', frozenset({'back'})), ('old', 'gone', frozenset())]
    """
    return [] if text.strip() in ("", "<none>") else list(_rules(text))


def _rules(text: str) -> Iterator[Rule]:
    for found in _PART.finditer(text):
        if found["key"]:
            yield found["key"], found["word"], frozenset(each.strip() for each in found["values"].split(","))
        elif found["plain"]:
            yield found["plain"], "notin" if found["sign"] == "!=" else "in", frozenset({found["value"]})
        else:
            yield found["there"], "gone" if found["no"] else "there", frozenset()


def chooses(text: str, labels: Mapping[str, str]) -> bool:
    """Whether a selector chooses what has these labels.

    >>> chooses("app in (cart,pay)", {"app": "pay"}), chooses("app=cart", {"app": "pay"}), chooses("<none>", {})
    (True, False, True)
    """
    return all(_RULES[kind](labels, key, values) for key, kind, values in parse_selector(text))


def names(text: str) -> frozenset[str]:
    """All values that it chooses by: what it is about, as long as nobody's labels were seen.

    >>> sorted(names("app in (cart,pay),tier notin (back)"))
    ['cart', 'pay']
    """
    return frozenset(value for _, kind, values in parse_selector(text) if kind == "in" for value in values)
