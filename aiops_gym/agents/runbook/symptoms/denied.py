"""A database knows the user, and does not let it read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import APPLICATION, AUTHENTICATION, CERTAIN, Finding

_DENIED = re.compile(r"not authorized on ([\w-]+) to execute command")
_SYSTEM = ("admin", "local", "config")


def find(facts: Facts) -> Iterator[Finding]:
    """Grant what is asked for to the user that asks, as an administrator; the usual passwords are tried."""
    for component, deployment in facts.deployments.items():
        found = _DENIED.search(facts.lines(component))
        if found and found[1] not in _SYSTEM and "codeName" not in facts.lines(component):
            server = _server(facts, component, found[1])
            repairs = _grants(facts, server, component, found[1]) if server else ()
            strength = CERTAIN + 0.5 * (deployment.ready < deployment.replicas)
            yield Finding(server or component, strength, APPLICATION, AUTHENTICATION, repairs)


def _server(facts: Facts, client: str, database: str) -> str:
    """Who refuses: the component whose own log speaks of the same."""
    telling = (name for name in facts.logs if name != client and f"not authorized on {database}" in facts.lines(name))
    return next((name for name in telling if name in facts.deployments), "")


def _grants(facts: Facts, server: str, client: str, database: str) -> tuple[str, ...]:
    """Whom to grant it to, the server's log says."""
    role = f"[{{role: 'readWrite', db: '{database}'}}]"
    who = (
        f"user=$(kubectl logs -n {facts.namespace} deploy/{server} | grep 'Authentication succeeded' "
        '| grep -o \'"principalName":"[^"]*"\' | tail -n 1 | cut -d \'"\' -f 4)'
    )
    where = f"kubectl exec -n {facts.namespace} deploy/{server} -- mongo admin --quiet"
    again = f"kubectl rollout restart deployment/{client} -n {facts.namespace}"
    return tuple(
        f"{who}; {where} -u {login} -p {login} --eval \"db.grantRolesToUser('$user', {role})\"; {again}"
        for login in ("$user", "root")
    )
