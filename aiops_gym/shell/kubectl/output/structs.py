"""Objects that kubectl holds as Go structs: their JSON has the fields in the order of the struct, not of the alphabet.

Source: the type declarations of k8s.io/api. Keys that are not listed come last, sorted.
"""

from __future__ import annotations

from typing import Any, Final

Json = Any


class Struct(dict[str, Json]):
    """An object that kubectl itself made or decoded into a struct."""


def _words(text: str) -> list[str]:
    return text.split()


ORDER: Final = _words(
    "kind apiVersion preferences clusters users contexts current-context metadata name generateName namespace uid "
    "resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations "
    "ownerReferences finalizers username groups extra involvedObject reason message source firstTimestamp "
    "lastTimestamp count type eventTime series action related reportingComponent reportingInstance schedule "
    "timeZone startingDeadlineSeconds concurrencyPolicy suspend jobTemplate replicas parallelism completions "
    "activeDeadlineSeconds backoffLimit selector template strategy minReadySeconds scaleTargetRef minReplicas "
    "maxReplicas targetCPUUtilizationPercentage metrics volumes initContainers containers restartPolicy "
    "terminationGracePeriodSeconds image command args workingDir ports envFrom env value valueFrom resources "
    "volumeMounts livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath "
    "terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty dnsPolicy nodeSelector "
    "serviceAccountName serviceAccount nodeName affinity schedulerName tolerations priorityClassName priority "
    "enableServiceLinks preemptionPolicy hostPort containerPort protocol appProtocol port targetPort nodePort "
    "hostIP clusterIP clusterIPs externalIPs sessionAffinity loadBalancerIP externalName ipFamilies "
    "ipFamilyPolicy internalTrafficPolicy verbs apiGroups resourceNames nonResourceURLs rules aggregationRule "
    "subjects roleRef ingressClassName defaultBackend tls hosts secretName host http paths path pathType backend "
    "service minAvailable maxUnavailable hard scopes globalDefault description immutable data binaryData spec "
    "status "
)
RANK: Final = {name: number for number, name in enumerate(ORDER)}
SPECIAL: Final = {
    "involvedObject": ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"),
    "source": ("component", "host"),
    "roleRef": ("apiGroup", "kind", "name"),
    "subjects": ("kind", "apiGroup", "name", "namespace"),
    "ownerReferences": ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"),
    "rules": ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"),
    "clusters": ("name", "cluster"),
    "users": ("name", "user"),
    "contexts": ("name", "context"),
    "spec": ("replicas", "minAvailable", "ports", "selector", "clusterIP", "clusterIPs", "type"),
    "Secret": ("kind", "apiVersion", "metadata", "immutable", "data", "binaryData", "stringData", "type"),
}
MAPS: Final = frozenset(
    _words("labels annotations data binaryData stringData matchLabels limits requests hard extra nodeSelector")
)


def ordered(value: Json, field: str = "") -> Json:
    """The same data with its keys in the order of the struct; `field` is where it stands."""
    if isinstance(value, list):
        return [ordered(item, field) for item in value]
    if not isinstance(value, dict):
        return value
    if field in MAPS:
        return {key: value[key] for key in sorted(value)}
    first = SPECIAL.get(str(value["kind"]) if "kind" in value and "metadata" in value else field, ())
    rank = {**RANK, **{name: number - len(first) for number, name in enumerate(first)}}
    keys = sorted(value, key=lambda key: (rank.get(key, len(RANK)), key))
    return {key: ordered(value[key], key) for key in keys}
