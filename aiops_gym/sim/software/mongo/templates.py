"""Documents made from a template: what a service's test data looks like, as data.

A value is taken as it is, but for strings, in which `{n}` is the document's number, and for
`{"$linear": [a, b]}` (a + b n), `{"$cycle": [x, y, ...]}` (by n), `{"$text": value}` (as a string) and
`{"$sha256": text, "$times": k}` (the digest of the text repeated k times, in hex).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256

from aiops_gym.types import Json


def filled(template: Json, n: int) -> Json:
    """A template with its number.

    >>> filled({"id": "{n}", "lat": {"$linear": [37.5, 0.25]}, "rate": {"$cycle": [109, 120]}}, 3)
    {'id': '3', 'lat': 38.25, 'rate': 120}
    >>> filled({"id": {"$text": {"$linear": [-1, 2]}}}, 5)
    {'id': '9'}
    """
    if isinstance(template, str):
        return template.replace("{n}", str(n))
    if isinstance(template, list | tuple):
        return [filled(inner, n) for inner in template]
    if not isinstance(template, Mapping):
        return template
    if "$linear" in template:
        base, step = template["$linear"]
        return round(base + step * n, 6)
    if "$cycle" in template:
        return filled(template["$cycle"][n % len(template["$cycle"])], n)
    if "$text" in template:
        return str(filled(template["$text"], n))
    if "$sha256" in template:
        text = str(filled(template["$sha256"], n)) * int(template.get("$times", 1))
        return sha256(text.encode()).hexdigest()
    return {key: filled(inner, n) for key, inner in template.items()}


def make_documents(seed: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """The documents that a `mongo` step of a service's start-up makes sure of, one after the other.

    `first` are given as they are, the others made from `template`, up to `documents` in all; their numbers begin with
    `start` and go on in steps of `step`. Whether they are there is told by `query`, or by the first of them.
    """
    first = seed.get("first", ())
    for row in first:
        yield dict(row)
    template = seed.get("template", {"id": "{n}"})
    start, step = int(seed.get("start", len(first) + 1)), int(seed.get("step", 1))
    for i in range(int(seed.get("documents", 0)) - len(first)):
        yield filled(template, start + step * i)
