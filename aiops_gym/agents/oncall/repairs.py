"""Repairs: the smallest change that makes what is there equal to what is wanted, as commands."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from aiops_gym.agents.oncall.objects import Cluster, Object

ABSENT = object()
"""Nothing stands there."""

Path = Sequence[str | int]


def patch(cluster: Cluster, kind: str, name: str, operations: Sequence[dict[str, Any]]) -> str:
    """A JSON patch of one object, and for a workload the wait until it is rolled out."""
    text = shlex.quote(json.dumps(list(operations)))
    command = f"kubectl patch {kind.lower()} {name} -n {cluster.namespace} --type=json -p {text}"
    if kind in ("Deployment", "StatefulSet", "DaemonSet"):
        command += f"; kubectl rollout status {kind.lower()}/{name} -n {cluster.namespace} --timeout=120s"
    return command


def change(path: Path, value: Any) -> dict[str, Any]:
    """One operation of such a patch: put this there, or take away what is there."""
    pointer = "/" + "/".join(str(each).replace("~", "~0").replace("/", "~1") for each in path)
    return {"op": "remove", "path": pointer} if value is ABSENT else {"op": "add", "path": pointer, "value": value}


def get(tree: Any, path: Path) -> Any:
    """What stands at a path, ABSENT where nothing does.

    >>> get({"a": [{"b": 1}]}, ("a", 0, "b")), get({"a": []}, ("a", 0, "b")) is ABSENT
    (1, True)
    """
    for each in path:
        try:
            tree = tree[each]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return tree


def earlier(cluster: Cluster, workload: Object, path: Path) -> Any:
    """What stood there in the newest earlier template that says something else; the live value where none does."""
    live = get(workload["template"], path)
    for revision in cluster.revisions(workload):
        before = get(revision["template"], path)
        if before != live:
            return before
    return live


def restore(cluster: Cluster, workload: Object, path: Path, otherwise: Any) -> str:
    """Put back what stood at a path of the template before it was changed, or else what the rule proposes."""
    live, before = get(workload["template"], path), earlier(cluster, workload, path)
    value = otherwise if before == live or (before is ABSENT and live is ABSENT) else before
    return write(cluster, workload, path, value)


def write(cluster: Cluster, workload: Object, path: Path, value: Any) -> str:
    """Write one field of a workload's template."""
    operation = change(("spec", "template", *path), value)
    return patch(cluster, workload["kind"], workload["name"], [operation])
