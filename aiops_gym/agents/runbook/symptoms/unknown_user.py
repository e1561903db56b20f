"""A client cannot log in to its database: the user is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import APPLICATION, AUTHENTICATION, CERTAIN, Finding, undo

_REFUSED = re.compile(r"Authentication failed|auth(entication)? (error|fail)|NOAUTH|WRONGPASS", re.IGNORECASE)
_UNKNOWN = re.compile(r"""UserNotFound: Could not find user \\*"([\w-]+)\\*" for db \\*"([\w-]+)""")
_WITH = re.compile(r'principalName\\*":\\*"([\w-]+)')

_OWN = "var own = db.getMongo().getDBNames().filter(n => ['admin', 'config', 'local'].indexOf(n) < 0)"
_ROLES = "[{role: 'userAdminAnyDatabase', db: 'admin'}].concat(own.map(n => ({role: 'readWrite', db: n})))"
"""No more than its service needs: its own data, and none of the server's."""


def find(facts: Facts) -> Iterator[Finding]:
    """Make the user again, with what its service needs; go back where a template holds other credentials."""
    for component, deployment in facts.deployments.items():
        troubled = deployment.ready < deployment.replicas
        if troubled and _REFUSED.search(facts.lines(component)) and "codeName" not in facts.lines(component):
            server = _server(facts, component)
            repairs = (*undo(facts, component), *(_users(facts, server, component) if server else ()))
            yield Finding(server or component, CERTAIN, APPLICATION, AUTHENTICATION, repairs)


def _server(facts: Facts, client: str) -> str:
    """The component whose own log speaks of a failed login, best the one whose name has the client's in it."""
    telling = [name for name in facts.logs if name != client and _REFUSED.search(facts.lines(name))]
    telling = [name for name in telling if name in facts.deployments]
    return min(telling, key=lambda name: (client not in name, name), default="")


def _users(facts: Facts, server: str, client: str) -> tuple[str, ...]:
    unknown, tried = _UNKNOWN.search(facts.lines(server)), _WITH.search(facts.lines(server))
    user = unknown[1] if unknown else tried[1] if tried else "admin"
    make = f"{_OWN}; db.createUser({{user: '{user}', pwd: '{user}', roles: {_ROLES}}})"
    where = f"kubectl exec -n {facts.namespace} deploy/{server} -- mongo admin --quiet"
    again = f"kubectl rollout restart deployment/{client} -n {facts.namespace}"
    return (f'{where} -u root -p root --eval "{make}"; {again}',)
