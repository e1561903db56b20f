"""A server talks only TLS, and its clients do not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import APPLICATION, CERTAIN, MISCONFIGURATION, Finding

_ONLY_TLS = re.compile(r"SSLHandshakeFailed|only allow SSL connections|wrong version number|requireTLS", re.IGNORECASE)


def find(facts: Facts) -> Iterator[Finding]:
    """Take the release back to how it was installed, and start what read its files anew."""
    for component in facts.deployments:
        if _ONLY_TLS.search(facts.lines(component)):
            restart = f"kubectl rollout restart deployment/{component} -n {facts.namespace}"
            back = (
                f"for name in $(helm list -n {facts.namespace} -q); do "
                f"helm rollback $name 1 -n {facts.namespace}; done; {restart}"
            )
            yield Finding(component, CERTAIN, APPLICATION, MISCONFIGURATION, (back,))
