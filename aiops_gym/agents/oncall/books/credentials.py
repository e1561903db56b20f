"""MongoDB's and Redis' manuals: what servers say to clients that are not let in."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator

from aiops_gym.agents.oncall.findings import ACCESS, MISCONFIGURED, NETWORK, PROGRAM, Finding
from aiops_gym.agents.oncall.objects import Cluster, Object, containers
from aiops_gym.agents.oncall.repairs import ABSENT, restore
from aiops_gym.agents.oncall.signals import complaints, read_settings

_ROLE = re.compile(r"not authorized on (\S+) to execute command")
_NOBODY = re.compile(r"UserNotFound: Could not find user \\?\"(\w+)\\?\" for db \\?\"(\w+)\\?\"")


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://www.mongodb.com/docs/manual/reference/error-codes/ and https://redis.io/docs/management/security/."""
    said = list(complaints(cluster))
    names = dict.fromkeys(name for name, _ in said)
    for name in names:
        workload = next((each for each in cluster.workloads() if each["name"] == name), None)
        lines = "\n".join(text for each, text in said if each == name)
        if workload is None:
            continue
        if '"c":"' in lines:
            yield from _server(cluster, workload, lines)
    if any("NOAUTH" in text or "WRONGPASS" in text for _, text in said):
        yield from _closed(cluster)


def _server(cluster: Cluster, workload: Object, lines: str) -> Iterator[Finding]:
    """A mongod whose log refuses clients."""
    name = workload["name"]
    if nobody := _NOBODY.search(lines):
        why = f"its user {nobody[1]} is not there"
        yield Finding(name, PROGRAM, NETWORK, why, repairs=(_as_initialized(cluster, name),), depth=3)
    elif role := next((each for each in _ROLE.finditer(lines) if each[1] != "admin"), None):
        why = f"a user may not use {role[1]}"
        yield Finding(name, PROGRAM, ACCESS, why, repairs=(_as_initialized(cluster, name),), depth=3)
    elif "requires authentication" in lines:
        why = "it asks for a password that its clients do not send"
        yield Finding(name, PROGRAM, ACCESS, why, repairs=tuple(_opened(cluster, workload)), depth=3)
    elif "SSLHandshakeFailed" in lines:
        why = "it asks for TLS that its clients do not speak"
        yield Finding(name, PROGRAM, MISCONFIGURED, why, repairs=tuple(_unencrypted(cluster, workload)), depth=3)


_USERS = r"""sed -nE "s/.*createUser\(\{ *user: *'([^']*)', *pwd: *'([^']*)', *roles: *(\[.*\]) *\}\).*/\1 \2 \3/p" """
"""Reads user, password and roles from a script as MongoDB's image runs it for a new database."""


def _as_initialized(cluster: Cluster, name: str) -> str:
    """Give users and roles as the mounted script says; any user of it who is still let in may do that."""
    run = f"kubectl exec -n {cluster.namespace} deploy/{name} --"
    mongo = f'{run} mongo admin --quiet -u "$other" -p "$secret" --eval'
    return (
        f"{run} sh -c 'cat /docker-entrypoint-initdb.d/*' | {_USERS} > /tmp/users;"
        " while read -r user password roles; do while read -r other secret rest; do"
        f""" {mongo} "db.createUser({{user: '$user', pwd: '$password', roles: $roles}})";"""
        f""" {mongo} "db.grantRolesToUser('$user', $roles)"; done < /tmp/users; done < /tmp/users"""
    )


def _opened(cluster: Cluster, workload: Object) -> Iterator[str]:
    """Take back what asks for passwords: the argument, or the line of the configuration that no peer has."""
    for at, container in enumerate(containers(workload)):
        arguments = container.get("args", [])
        if "--auth" in arguments:
            kept = [each for each in arguments if each != "--auth"]
            yield restore(cluster, workload, ("spec", "containers", at, "args"), kept or ABSENT)
    yield from _without_lines(cluster, workload, r"^security:|^ *authorization: *enabled")


def _unencrypted(cluster: Cluster, workload: Object) -> Iterator[str]:
    """As its peers: the mode that they have."""
    for setting in read_settings(cluster):
        if setting.file == "mongod.conf" and setting.source == workload["name"] and "mode:" in setting.path:
            yield edited(
                cluster,
                workload,
                setting.source,
                setting.file,
                r"sed -E 's/mode: *[A-Za-z]+/mode: disabled/; /certificateKeyFile/d'",
            )


def _closed(cluster: Cluster) -> Iterator[Finding]:
    """A redis with a password that its clients do not know."""
    for setting in read_settings(cluster):
        if setting.path.startswith("requirepass"):
            for workload in cluster.workloads():
                volumes = workload["template"]["spec"].get("volumes", [])
                if any(each.get("configMap", {}).get("name") == setting.source for each in volumes):
                    repair = edited(cluster, workload, setting.source, setting.file, "sed '/^requirepass/d'")
                    yield Finding(
                        workload["name"], PROGRAM, ACCESS, "it asks for a password", repairs=(repair,), depth=3
                    )
    for workload in cluster.workloads():
        for at, container in enumerate(containers(workload)):
            arguments = container.get("args", [])
            if "--requirepass" in arguments:
                place = arguments.index("--requirepass")
                kept = arguments[:place] + arguments[place + 2 :]
                repair = restore(cluster, workload, ("spec", "containers", at, "args"), kept or ABSENT)
                yield Finding(workload["name"], PROGRAM, ACCESS, "it asks for a password", repairs=(repair,), depth=3)


def _without_lines(cluster: Cluster, workload: Object, pattern: str) -> Iterator[str]:
    for setting in read_settings(cluster):
        if re.search(pattern, setting.path) and any(
            each.get("configMap", {}).get("name") == setting.source
            for each in workload["template"]["spec"].get("volumes", [])
        ):
            yield edited(cluster, workload, setting.source, setting.file, f"sed -E '/{pattern}/d'")
            return


def edited(cluster: Cluster, workload: Object, source: str, file: str, how: str) -> str:
    """Rewrite one file of a ConfigMap through a filter, and start whoever reads it anew."""
    where, key = f"-n {cluster.namespace}", json.dumps(file)
    kind, name = workload["kind"].lower(), workload["name"]
    return (
        f"kubectl get configmap {source} {where} -o json > /tmp/map; jq -r {shlex.quote(f'.data[{key}]')} /tmp/map"
        f" | {how} > /tmp/file; jq --rawfile f /tmp/file {shlex.quote(f'.data[{key}] = $f')} /tmp/map"
        f" | kubectl replace -f -;"
        f" kubectl rollout restart {kind}/{name} {where}; kubectl rollout status {kind}/{name} {where} --timeout=120s"
    )
