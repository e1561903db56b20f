"""What a rule concludes, and in which order conclusions count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

PLATFORM, PROGRAM, SYSTEM = "Virtualization", "Application", "Operating System"
"""Layers: what Kubernetes is told, what the program is told, what the kernel does."""

MISCONFIGURED, DEPENDS, OPERATED = "Misconfiguration", "Dependency Problem", "Operation Error"
NETWORK, ACCESS = "Network/Storage Issue", "Authentication Issue"

CAUSE, LIKELY, HINT = 3, 2, 1
"""How sure a finding is: it explains the symptom; it is out of order and something fails; it is merely odd."""


@dataclass(frozen=True)
class Finding:
    """One thing out of order.

    Attributes:
        component: the workload or Service that it is about.
        why: in a sentence, for whoever reads the episode.
        repairs: commands, the smallest change first.
        depth: of two that are equally sure the deeper one counts: a cause below another one's symptom; 0 is a guess.
    """

    component: str
    layer: str
    kind: str
    why: str
    strength: int = CAUSE
    repairs: tuple[str, ...] = ()
    depth: int = 0


def rank(found: Iterable[Finding]) -> list[Finding]:
    """The surest first; what was found first before what was found later.

    >>> weak = Finding("a", PLATFORM, NETWORK, "", HINT)
    >>> rank([weak, Finding("b", PLATFORM, NETWORK, "", CAUSE)])[0].component
    'b'
    """
    return sorted(dict.fromkeys(found), key=lambda each: (-each.strength, -each.depth))
