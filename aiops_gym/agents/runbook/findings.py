"""What a rule concludes, and the commands with which it repairs."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.scan import scan

APPLICATION, VIRTUALIZATION = "Application", "Virtualization"
MISCONFIGURATION, OPERATION = "Misconfiguration", "Operation Error"
AUTHENTICATION, NETWORK, DEPENDENCY = "Authentication Issue", "Network/Storage Issue", "Dependency Problem"

CERTAIN, STRONG, LIKELY, WEAK = 4.0, 3.0, 2.0, 1.0
"""How much a finding says: it names its cause; it can hardly be anything else; it may be another's fault; a hint."""


@dataclass(frozen=True)
class Finding:
    """Something that is wrong.

    Attributes:
        component: in which; "" when it is in all of the application.
        strength: `CERTAIN` ... `WEAK`.
        layer: Analysis' `system_level`.
        kind: Analysis' `fault_type`.
        repairs: commands, the best first; each may be tried when the ones before it did not help.
    """

    component: str
    strength: float
    layer: str
    kind: str
    repairs: tuple[str, ...] = ()


Rule = Callable[[Facts], Iterator[Finding]]


@cache
def load_rules() -> Sequence[Rule]:
    """The rule of each module in the folder of symptoms."""
    return tuple(scan("aiops_gym.agents.runbook.symptoms", "find").values())


def conclude(facts: Facts) -> list[Finding]:
    """All findings, the most telling first; equal ones in the order of their components."""
    found = dict.fromkeys(finding for rule in load_rules() for finding in rule(facts))
    return sorted(found, key=lambda each: (-each.strength, each.component))


def undo(facts: Facts, component: str) -> tuple[str, ...]:
    """Roll a deployment back to how it was before it was changed, where it remembers that."""
    revision = facts.older(component)
    where = f"-n {facts.namespace}"
    return (f"kubectl rollout undo deployment/{component} {where} --to-revision={revision}",) if revision else ()


def patch(facts: Facts, kind: str, name: str, *ops: dict[str, Any]) -> str:
    """Change an object by a JSON patch."""
    return f"kubectl patch {kind} {name} -n {facts.namespace} --type=json -p {shlex.quote(json.dumps(list(ops)))}"
