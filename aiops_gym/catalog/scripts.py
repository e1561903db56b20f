"""Shell commands that many faults have in common: the looks and repairs of a person with kubectl."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

POD = "/spec/template/spec"
CONTAINER = f"{POD}/containers/0"

PODS = "kubectl get pods -n {namespace}"
EVENTS = "kubectl get events -n {namespace} --sort-by=.lastTimestamp | tail -20"
DESCRIBE = "kubectl describe pod -n {namespace} -l {selector}={target}"
RESTART_CLIENT = '[ -z "{service}" ] || kubectl rollout restart deployment/{service} -n {namespace}'
"""What needed the target when it started goes on waiting for its turn in a back-off; a new pod tries at once."""


def patched(kind: str, *ops: Mapping[str, Any], name: str = "{target}") -> str:
    """A JSON patch of an object; a value `#{name}` stands without quotes, as a number or a list does.

    >>> patched("service", {"op": "remove", "path": "/spec/x"})
    'kubectl patch service {target} -n {namespace} --type=json -p \\'[{"op": "remove", "path": "/spec/x"}]\\''
    """
    return f"kubectl patch {kind} {name} -n {{namespace}} --type=json -p '{_raw(json.dumps(list(ops)))}'"


def _raw(text: str) -> str:
    return re.sub(r'"#(\{\w+\})"', r"\1", text)


def edited(kind: str, jq: str, name: str = "{target}") -> str:
    """An object read, changed with jq and put back.

    >>> edited("deployment", "del(.spec.x)")
    "kubectl get deployment {target} -n {namespace} -o json | jq 'del(.spec.x)' | kubectl replace -f -"
    """
    return f"kubectl get {kind} {name} -n {{namespace}} -o json | jq '{jq}' | kubectl replace -f -"
