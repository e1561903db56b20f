"""The optional fields of what runs and how it is reached, as `kubectl explain` lists them.

Nothing here is chosen for what may break: these are all fields of a container, of a pod's specification and of a
service that one may leave out, together with the number of replicas.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Mapping
from typing import Any

CONTAINER = (
    "args", "command", "env", "envFrom", "image", "imagePullPolicy", "lifecycle", "livenessProbe", "ports",
    "readinessProbe", "resizePolicy", "resources", "securityContext", "startupProbe", "stdin", "stdinOnce",
    "terminationMessagePath", "terminationMessagePolicy", "tty", "volumeDevices", "volumeMounts", "workingDir",
)  # fmt: skip
"""`kubectl explain deployment.spec.template.spec.containers`"""

POD = (
    "activeDeadlineSeconds", "affinity", "automountServiceAccountToken", "dnsConfig", "dnsPolicy",
    "enableServiceLinks", "hostAliases", "hostIPC", "hostNetwork", "hostPID", "hostUsers", "hostname",
    "imagePullSecrets", "initContainers", "nodeName", "nodeSelector", "overhead", "preemptionPolicy", "priority",
    "priorityClassName", "readinessGates", "resourceClaims", "restartPolicy", "runtimeClassName", "schedulerName",
    "schedulingGates", "securityContext", "serviceAccountName", "setHostnameAsFQDN", "shareProcessNamespace",
    "subdomain", "terminationGracePeriodSeconds", "tolerations", "topologySpreadConstraints", "volumes",
)  # fmt: skip
"""`kubectl explain deployment.spec.template.spec`"""

SERVICE = (
    "externalName", "externalTrafficPolicy", "internalTrafficPolicy", "ports", "publishNotReadyAddresses",
    "selector", "sessionAffinity", "type",
)  # fmt: skip
"""`kubectl explain service.spec`, without what the cluster itself fills in."""

REPLICAS = "replicas"

FIELDS = (
    REPLICAS,
    *(f"container {name}" for name in CONTAINER),
    *(f"pod {name}" for name in POD),
    *(f"service {name}" for name in SERVICE),
)
"""Their names here: where each stands, and what it is called there."""

NEEDED = frozenset({REPLICAS, "container image", *(f"service {name}" for name in ("ports", "selector", "type"))})
"""Those that a deployment or a service does not work without: they are changed and never taken away."""

_PLACES = {"container": "/spec/template/spec/containers/0/", "pod": "/spec/template/spec/", "service": "/spec/"}


def command(field: str, component: str, namespace: str, value: Any, *, keep: bool = True) -> str:
    """The command line that gives a field a value, or takes the field away where `keep` is false.

    >>> command("replicas", "cart", "shop", 2)
    'kubectl scale deployment cart --replicas=2 -n shop'
    >>> command("pod hostname", "cart", "shop", None, keep=False)
    'kubectl patch deployment cart -n shop --type json -p \\'[{"op":"remove","path":"/spec/template/spec/hostname"}]\\''
    """
    if field == REPLICAS:
        return f"kubectl scale deployment {component} --replicas={int(value)} -n {namespace}"
    place, _, name = field.partition(" ")
    kind = "service" if place == "service" else "deployment"
    change: Mapping[str, Any] = {"op": "remove", "path": _PLACES[place] + name}
    if keep:
        change = {"op": "add", "path": _PLACES[place] + name, "value": value}
    patch = shlex.quote(json.dumps([change], separators=(",", ":")))
    return f"kubectl patch {kind} {component} -n {namespace} --type json -p {patch}"


def without_volumes(component: str, namespace: str, names: Collection[str]) -> str:
    """The command line that takes volumes away together with where they are mounted: the one needs the other.

    >>> without_volumes("cart", "shop", ["tmp"]).partition(" | kubectl ")[2]
    'replace -f - -n shop'
    """
    listed = ", ".join(json.dumps(name) for name in names)
    places = "(.spec.template.spec | .volumes, (.containers[] | select(.volumeMounts) | .volumeMounts))"
    program = f"{places} |= map(select(.name | IN({listed}) | not))"
    source = f"kubectl get deployment {component} -n {namespace} -o json"
    return f"{source} | jq {shlex.quote(program)} | kubectl replace -f - -n {namespace}"
