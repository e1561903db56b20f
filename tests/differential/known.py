"""What is known to differ, and why. Each entry is an expected failure: it fails the suite as soon as it is equal."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from sides import EMULATED

DRIFT = Path(__file__).with_name("drift.json")

CLIENT = "the version of the client itself: ours calls itself v1.32.1, the one that is compared with is another build"
CLOCK = "kubectl prints the age of the pod to the nanosecond of its own clock"

PANIC = "kubectl 1.32 itself ends in a Go panic when it is to print a revision that is not there"

ORDER = "where several documents fail at once, kubectl's errors come in another order, or only the first of them"

DIFFERENT: Sequence[tuple[str, str]] = (
    (r"(healthy|hotel|hotel-well|social|social-well): version( |$)", CLIENT),
    (r"hotel: describe -f it.yaml -f - --show-events=false", ORDER),
    (r"social: set subject -f dir --show-managed-fields=false --dry-run=client", ORDER),
    (r": kustomize https?://", "the real one runs git, which finds no network; the agent's shell has neither"),
    (r": kustomize /home/", "which folder of a path is missed first depends on the machine's own"),
    (r": create .*--raw .*-f ?dir", "a folder is no body: which end notices first differs from run to run"),
    (r"broken: top pods -n shop -l app=crash$", CLOCK),
    (r": rollout history deploy\S*[ /]\S+ --revision=9 (-o |--output=)(yaml|json)", PANIC),
)
"""(regular expression on the id of cases, reason)"""

ANY_ORDER: Sequence[tuple[str, str]] = (
    (r"(?i): describe \S*(cm|configmaps?|secrets?)\b", "the keys of a Go map, printed in the order of its iteration"),
    (r": describe (ns|namespaces|limits|limitranges|quota)\b", "limits of a Go map, in the order of its iteration"),
    (r" -o jsonpath=\{\.\.", "recursive descent goes through Go maps in the order of their iteration"),
    (r": logs .*(--all-containers|--all-pods|-l )", "streams are read in the order of a Go map's iteration"),
    (r": set env .*--from=", "one warning a key, in the order of a Go map's iteration"),
    (r": (label|annotate) .*--list", "labels are listed in the order of a Go map's iteration"),
    (r": top .*--sort-by", "rows of equal use, which depend on the moment, in the order of an unstable sort"),
    (r": set image ", "containers that are not there are told in the order of a Go map's iteration"),
    (r": drain ", "reasons are collected in a Go map"),
)
"""Cases in which the real kubectl itself is different each time: equal if the words are, in any order."""


def why_different(name: str) -> str:
    """The reason for which a case is known to differ, "" if it should be equal."""
    return _found(DIFFERENT, name)


def why_any_order(name: str) -> str:
    """The reason for which the order of words does not count in a case, "" if it does."""
    return _found(ANY_ORDER, name)


def drifted(version: tuple[int, int]) -> frozenset[str] | None:
    """The cases in which a newer kubectl says something else than ours of 1.32, None if nobody has looked.

    Recorded by `figures.py --drift`: all of them are equal to a 1.32, so what differs is that client's change.
    """
    if version == EMULATED:
        return frozenset()
    known = json.loads(DRIFT.read_text(encoding="utf-8"))
    name = ".".join(map(str, version))
    return frozenset(known[name]) if name in known else None


def _found(entries: Sequence[tuple[str, str]], name: str) -> str:
    return next((reason for pattern, reason in entries if re.search(pattern, name)), "")
