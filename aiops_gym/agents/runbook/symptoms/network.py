"""Everything is up, and the calls to one component fail or take for ever: its network."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts, Span
from aiops_gym.agents.runbook.findings import LIKELY, NETWORK, VIRTUALIZATION, Finding

SLOW = 1_000_000.0
"""Microseconds of a call that nobody waits for gladly."""

FAILED = 0.3
"""Share of failed calls that is no accident."""

_CALL = re.compile(r"/(\w+)\.\w+/\w+")


def find(facts: Facts) -> Iterator[Finding]:
    """Name the callee of the deepest call that is slow or fails. Restarting its pod is all that can be tried."""
    bad = [span for span in facts.spans if _bad(span)]
    blamed = {callee for span in bad if (callee := _callee(facts, span))}
    # Who calls somebody that is blamed too only waits for it.
    waiting = {span.service for span in bad if _callee(facts, span) in blamed}
    for component in sorted((blamed - waiting) or _ends(facts, bad)):
        pods = facts.pods_of(component)
        if pods and all(pod.well for pod in pods):
            restart = f"kubectl rollout restart deployment/{component} -n {facts.namespace}"
            strength = LIKELY + (0.3 if component in blamed else 0.05)
            yield Finding(component, strength, VIRTUALIZATION, NETWORK, (restart,))


def _ends(facts: Facts, bad: list[Span]) -> Iterator[str]:
    """Components whose slow calls lead to nobody who is slow too; calls are named `x_client` and `x_server`."""
    servers = {span.operation.removesuffix("_server"): span.service for span in bad}
    waiting = {
        span.service
        for span in bad
        if span.operation.endswith("_client")
        and servers.get(span.operation.removesuffix("_client"), span.service) != span.service
    }
    for service in sorted({span.service for span in bad} - waiting):
        like = [name for name in facts.deployments if name.split("-")[0] == service.split("-")[0]]
        if service in facts.deployments or len(like) == 1:
            yield service if service in facts.deployments else like[0]


def _bad(span: Span) -> bool:
    return span.count >= 3 and (span.errors >= FAILED * span.count or span.mean >= SLOW)


def _callee(facts: Facts, span: Span) -> str:
    """The component that a call is addressed to, by the name of its interface."""
    found = _CALL.match(span.operation)
    return found[1] if found and found[1] in facts.deployments and found[1] != span.service else ""
