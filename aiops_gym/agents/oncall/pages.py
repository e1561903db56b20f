"""What an engineer on call types before any opinion: commands, and how long outputs are read page by page."""

from __future__ import annotations

PAGE = 15_000
"""Characters of a page: what an observation holds."""

NOTES = "/tmp/notes"
"""File in the agent's own shell that holds what was read."""

_BORING = (
    "terminationMessagePath?, .terminationMessagePolicy?, .imagePullPolicy?, .schedulerName?, .defaultMode?,"
    " .creationTimestamp?, .terminationGracePeriodSeconds?, .resourceVersion?, .uid?, .managedFields?, .namespace?,"
    " .clusterIPs?, .ipFamilies?, .ipFamilyPolicy?, .internalTrafficPolicy?, .sessionAffinity?,"
    " .revisionHistoryLimit?, .progressDeadlineSeconds?, .lastTransitionTime?, .lastUpdateTime?, .lastProbeTime?"
)

_TEMPLATE = (
    "{kind, name: .metadata.name, created: .metadata.creationTimestamp, notes: .metadata.annotations,"
    " labels: .metadata.labels, generation: .metadata.generation, observed: .status.observedGeneration,"
    " paused: .spec.paused, replicas: .spec.replicas, ready: .status.readyReplicas, made: .status.replicas,"
    ' conditions: [.status.conditions[]? | select(.status != "True" or .type == "ReplicaFailure")'
    " | [.type, .status, .reason, .message]], selector: .spec.selector.matchLabels, template: .spec.template}"
)

_POD = (
    "{kind, name: .metadata.name, created: .metadata.creationTimestamp, labels: .metadata.labels,"
    " owner: .metadata.ownerReferences[0].name, deleted: .metadata.deletionTimestamp, finalizers: .metadata.finalizers,"
    " ip: .status.podIP, node: .spec.nodeName, phase: .status.phase, reason: .status.reason,"
    " images: [.spec.containers[] | [.name, .image]],"
    " spec: (if .metadata.ownerReferences then null else .spec end),"
    ' conditions: [.status.conditions[]? | select(.status != "True") | [.type, .reason, .message]],'
    " states: [.status.containerStatuses[]? | {name, ready, restarts: .restartCount, state, last: .lastState}],"
    " init: [.status.initContainerStatuses[]? | {name, ready, restarts: .restartCount, state}]}"
)

_OLD = (
    "select(.spec.replicas == 0 or .status.replicas != .spec.replicas) | {kind, name: .metadata.name,"
    ' owner: .metadata.ownerReferences[0].name, revision: .metadata.annotations["deployment.kubernetes.io/revision"],'
    " created: .metadata.creationTimestamp, template: .spec.template, conditions: [.status.conditions[]?]}"
)

_SERVICE = (
    "{kind, name: .metadata.name, created: .metadata.creationTimestamp, selector: .spec.selector,"
    " ports: .spec.ports, type: .spec.type, externalName: .spec.externalName, ip: .spec.clusterIP,"
    " version: .metadata.resourceVersion}"
)

_ENDPOINTS = (
    "{kind, name: .metadata.name, labels: .metadata.labels, notes: .metadata.annotations,"
    " ports: [.subsets[]?.ports[]?.port], ready: [.subsets[]?.addresses[]?.ip],"
    " unready: [.subsets[]?.notReadyAddresses[]?.ip]}"
)

_NODE = (
    "{kind, name: .metadata.name, labels: .metadata.labels, taints: .spec.taints, cordoned: .spec.unschedulable,"
    " room: .status.allocatable, conditions: [.status.conditions[]? | [.type, .status, .reason]]}"
)

_SMALL = "{kind, name: .metadata.name, created: .metadata.creationTimestamp, labels: .metadata.labels, spec, status}"

_KEYS = "{kind, name: .metadata.name, version: .metadata.resourceVersion, keys: ((.data // {}) | keys)}"

_EVENT = (
    'select(.type != "Normal" or .reason == "ScalingReplicaSet") | {kind, name: .involvedObject.name, reason, message,'
    " count, last: .lastTimestamp}"
)

_ASKED = (
    ("deployments,statefulsets,daemonsets", "", _TEMPLATE),
    ("replicasets", "", _OLD),
    ("pods", "", _POD),
    ("services", "", _SERVICE),
    ("endpoints", "", _ENDPOINTS),
    ("networkpolicies,resourcequotas,limitranges,persistentvolumeclaims,horizontalpodautoscalers,jobs", "", _SMALL),
    ("configmaps,secrets,serviceaccounts", "", _KEYS),
    ("events", "--sort-by=.lastTimestamp", _EVENT),
)
"""Kinds, how they are listed, and what is read of each; always of the application's namespace."""

_CLUSTER = (("nodes", _NODE), ("persistentvolumes,storageclasses", _SMALL))


def write_notes(namespace: str) -> str:
    """The command that reads every object of a namespace once, and keeps them a line each."""
    asked = [f"kubectl get {kinds} -n {namespace} {how} -o json | {_pick(fields)}" for kinds, how, fields in _ASKED]
    asked += [f"kubectl get {kinds} -o json | {_pick(fields)}" for kinds, fields in _CLUSTER]
    return "{ " + "; ".join(asked) + f"; }} > {NOTES}; date -u +%Y-%m-%dT%H:%M:%SZ; wc -l < {NOTES}"


def _pick(fields: str) -> str:
    return f"jq -c '.items[] | {fields} | del(.. | .{_BORING} , nulls)'"


def read_page(line: int) -> str:
    """The command that prints a page of them, from this line, counted from 1."""
    return f"tail -n +{line} {NOTES} | head -c {PAGE}"
