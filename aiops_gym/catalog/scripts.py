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
RENEW = "kubectl rollout restart deployment/{target} -n {namespace}"
"""Settings are read when a program starts."""
RESYNC = "kubectl delete pods -n {namespace} -l app.kubernetes.io/name=config-sync"
"""A ConfigMap that was changed reaches those who have it mounted up to 90 s later; a new pod has it at once."""


def make_patch(kind: str, *ops: Mapping[str, Any] | str, name: str = "{target}") -> str:
    """A JSON patch of an object; a value `#{name}` stands without quotes, as a number or a list does.

    >>> make_patch("service", {"op": "remove", "path": "/spec/x"})
    'kubectl patch service {target} -n {namespace} --type=json -p \\'[{"op": "remove", "path": "/spec/x"}]\\''
    """
    return f"kubectl patch {kind} {name} -n {{namespace}} --type=json -p '{_raw(json.dumps(list(ops)))}'"


def _raw(text: str) -> str:
    return re.sub(r'"#(\{\w+\})"', r"\1", text)


UNVERSIONED = "del(.metadata.resourceVersion)"
"""Put back whatever a controller has written of the status meanwhile, as it does while containers keep ending."""


def make_edit(kind: str, jq: str, name: str = "{target}") -> str:
    """An object read, changed with jq and put back.

    >>> print(make_edit("deployment", "del(.spec.x)"))
    kubectl get deployment {target} -n {namespace} -o json | jq 'del(.metadata.resourceVersion) | del(.spec.x)' \
| kubectl replace -f -
    """
    return f"kubectl get {kind} {name} -n {{namespace}} -o json | jq '{UNVERSIONED} | {jq}' | kubectl replace -f -"


def make_resetting(old: str, new: str) -> str:
    """A text in the target's settings replaced by another one, and read again by a new pod.

    >>> print(make_resetting("1", "2"))
    kubectl get configmap {target} -n {namespace} -o yaml | sed 's/1/2/' | kubectl replace -f -
    kubectl rollout restart deployment/{target} -n {namespace}
    """
    read = "kubectl get configmap {target} -n {namespace} -o yaml"
    return f"{read} | sed 's/{old}/{new}/' | kubectl replace -f -\n{RENEW}"


def reset_value(path: str, value: str) -> str:
    """A value of the target's settings, which are JSON, set with jq, and read again by a new pod.

    >>> print(reset_value(".port", "80").partition(" |")[0])
    kubectl get configmap {target} -n {namespace} -o json
    """
    return make_edit("configmap", f'.data["{{file}}"] |= (fromjson | {path} = {value} | tojson)') + f"\n{RENEW}"


AGAIN = f"\n{RENEW}\n{RESTART_CLIENT}"
"""What was refused or came up wrong is tried again later and later; a new rollout tries at once."""


def make_rule(name: str, jq: str) -> str:
    """The rules of a platform's server of webhooks changed with jq; it reads them anew for each pod.

    >>> print(make_rule("pod-defaults", "del(.merge)").partition(" |")[0])
    kubectl get configmap pod-defaults -n platform -o json
    """
    edit = f'.data["rules.json"] |= (fromjson | {jq} | tojson)'
    return f"kubectl get configmap {name} -n platform -o json | jq '{edit}' | kubectl replace -f -"


def make_anew(name: str, namespace: str, then: str = "") -> tuple[str, ...]:
    """Ways to begin a program anew that has come to keep too much.

    >>> print(make_anew("pod-defaults", "platform")[1].partition("\\n")[0])
    kubectl delete pod -n platform -l app.kubernetes.io/name=pod-defaults
    """
    wait = f"\nkubectl rollout status deployment/{name} -n {namespace} --timeout=60s{then}"
    ways = (
        f"kubectl rollout restart deployment/{name} -n {namespace}",
        f"kubectl delete pod -n {namespace} -l app.kubernetes.io/name={name}",
        f"kubectl scale deployment/{name} -n {namespace} --replicas=0\n"
        f"kubectl scale deployment/{name} -n {namespace} --replicas=1",
    )
    return tuple(way + wait for way in ways)
