"""Objects that kubectl holds as Go structs: their JSON has the fields in the order of the struct, not of the alphabet.

Source: the type declarations of k8s.io/api. Keys that are not listed come last, sorted.
"""

from __future__ import annotations

from typing import Final

from aiops_gym.types import Json


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
    "service minAvailable maxUnavailable hard scopes immutable data binaryData spec "
    "status "
)
RANK: Final = {name: number for number, name in enumerate(ORDER)}
_WORKLOAD: Final = (
    "replicas selector template volumeClaimTemplates serviceName podManagementPolicy strategy updateStrategy"
)
_CONDITION: Final = "type status lastProbeTime lastHeartbeatTime lastUpdateTime lastTransitionTime reason message"
_CONTAINER: Final = (
    "name image command args workingDir ports envFrom env resources resizePolicy restartPolicy volumeMounts "
    "volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath "
    "terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty"
)
_PROBE: Final = (
    "exec httpGet tcpSocket grpc initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold "
    "terminationGracePeriodSeconds"
)
_OF_A_FIELD: Final = {
    "involvedObject": "kind namespace name uid apiVersion resourceVersion fieldPath",
    "source": "component host",
    "roleRef": "apiGroup kind name",
    "subjects": "kind apiGroup name namespace",
    "ownerReferences": "apiVersion kind name uid controller blockOwnerDeletion",
    "rules": "verbs apiGroups resources resourceNames nonResourceURLs",
    "clusters": "name cluster",
    "users": "name user",
    "contexts": "name context",
    "spec": "replicas minAvailable ports selector clusterIP clusterIPs type",
    "Secret": "kind apiVersion metadata immutable data binaryData stringData type",
    "securityContext": "capabilities privileged seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot "
    "readOnlyRootFilesystem allowPrivilegeEscalation supplementalGroups supplementalGroupsPolicy fsGroup sysctls "
    "fsGroupChangePolicy procMount seccompProfile appArmorProfile",
    "containers": _CONTAINER,
    "initContainers": _CONTAINER,
    "livenessProbe": _PROBE,
    "readinessProbe": _PROBE,
    "startupProbe": _PROBE,
    "httpGet": "path port host scheme httpHeaders",
    "volumeMounts": "name readOnly recursiveReadOnly mountPath subPath mountPropagation",
    "projected": "sources defaultMode",
    "serviceAccountToken": "audience expirationSeconds path",
    "configMap": "name items defaultMode optional",
    "secret": "secretName items defaultMode optional",
    "items": "key path fieldRef resourceFieldRef mode",
    "configMapKeyRef": "name key optional",
    "secretKeyRef": "name key optional",
    "strategy": "type rollingUpdate",
    "updateStrategy": "type rollingUpdate",
    "rollingUpdate": "partition maxUnavailable maxSurge",
    "tolerations": "key operator value effect tolerationSeconds",
    "matchExpressions": "key operator values",
    "resources": "limits requests claims",
    "conditions": _CONDITION,
    "containerStatuses": "name state lastState ready restartCount image imageID containerID started",
    "initContainerStatuses": "name state lastState ready restartCount image imageID containerID started",
    "terminated": "exitCode signal reason message startedAt finishedAt containerID",
    "PodSpec": (
        "volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds "
        "activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName serviceAccount automountServiceAccountToken "
        "nodeName hostNetwork hostPID hostIPC shareProcessNamespace securityContext imagePullSecrets hostname "
        "subdomain affinity schedulerName tolerations hostAliases priorityClassName priority dnsConfig readinessGates "
        "runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints"
    ),
    "Deployment.spec": f"{_WORKLOAD} minReadySeconds revisionHistoryLimit paused progressDeadlineSeconds",
    "DaemonSet.spec": f"{_WORKLOAD} minReadySeconds revisionHistoryLimit",
    "StatefulSet.spec": f"{_WORKLOAD} revisionHistoryLimit minReadySeconds persistentVolumeClaimRetentionPolicy",
    "ReplicaSet.spec": "replicas minReadySeconds selector template",
    "Job.spec": (
        "parallelism completions activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit "
        "backoffLimitPerIndex maxFailedIndexes selector manualSelector template ttlSecondsAfterFinished completionMode "
        "suspend podReplacementPolicy"
    ),
    "Deployment.status": (
        "observedGeneration replicas updatedReplicas readyReplicas availableReplicas unavailableReplicas conditions "
        "collisionCount"
    ),
    "DaemonSet.status": (
        "currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady observedGeneration "
        "updatedNumberScheduled numberAvailable numberUnavailable collisionCount conditions"
    ),
    "StatefulSet.status": (
        "observedGeneration replicas readyReplicas currentReplicas updatedReplicas currentRevision updateRevision "
        "collisionCount conditions availableReplicas"
    ),
    "ReplicaSet.status": (
        "replicas fullyLabeledReplicas readyReplicas availableReplicas observedGeneration conditions"
    ),
    "PriorityClass": "kind apiVersion metadata value globalDefault description preemptionPolicy",
    "Ingress.spec": "ingressClassName defaultBackend tls rules",
    "PodDisruptionBudget.status": (
        "observedGeneration disruptedPods disruptionsAllowed currentHealthy desiredHealthy expectedPods conditions"
    ),
    "CronJob.spec": (
        "schedule timeZone startingDeadlineSeconds concurrencyPolicy suspend jobTemplate successfulJobsHistoryLimit "
        "failedJobsHistoryLimit"
    ),
    "scaleTargetRef": "kind name apiVersion",
    "hostPath": "path type",
    "volumeMounts of a status": "name mountPath readOnly recursiveReadOnly",
    "taints": "key value effect timeAdded",
    "Node.spec": "podCIDR podCIDRs providerID unschedulable taints",
    "Node.status": "capacity allocatable phase conditions addresses daemonEndpoints nodeInfo images volumesInUse",
    "addresses": "type address",
    "nodeInfo": (
        "machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion kubeletVersion kubeProxyVersion "
        "operatingSystem architecture"
    ),
    "Service.spec": (
        "ports selector clusterIP clusterIPs type externalIPs sessionAffinity loadBalancerIP loadBalancerSourceRanges "
        "externalName externalTrafficPolicy healthCheckNodePort publishNotReadyAddresses sessionAffinityConfig "
        "ipFamilies ipFamilyPolicy allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy"
    ),
    "Job.status": (
        "conditions startTime completionTime active succeeded failed terminating completedIndexes failedIndexes "
        "uncountedTerminatedPods ready"
    ),
    "Pod.status": (
        "observedGeneration phase conditions message reason nominatedNodeName hostIP hostIPs podIP podIPs startTime "
        "initContainerStatuses containerStatuses qosClass ephemeralContainerStatuses"
    ),
}
SPECIAL: Final = {name: tuple(_words(text)) for name, text in _OF_A_FIELD.items()}
MAPS: Final = frozenset(
    _words("labels annotations data binaryData stringData matchLabels limits requests hard extra nodeSelector")
)


def order_keys(value: Json, field: str = "", kind: str = "") -> Json:
    """The same data with its keys in the order of the struct; `field` is where it stands, in an object of a kind."""
    if isinstance(value, list):
        return [order_keys(item, field, kind) for item in value]
    if not isinstance(value, dict):
        return value
    if field in MAPS:
        return {key: value[key] for key in sorted(value)}
    if "kind" in value and "metadata" in value:
        field = kind = str(value["kind"]).removesuffix("List")
    elif field == "spec" and "containers" in value:
        field = "PodSpec"
    first = SPECIAL.get(f"{kind}.{field}") or SPECIAL.get(field, ())
    rank = {**RANK, **{name: number - len(first) for number, name in enumerate(first)}}
    keys = sorted(value, key=lambda key: (rank.get(key, len(RANK)), key))
    if field in ("containers", "initContainers"):
        keys = [key for key in keys if value[key] != ""]
    where = " of a status" if field.lower().endswith("containerstatuses") else ""
    return {key: order_keys(value[key], f"{key}{where}" if key == "volumeMounts" else key, kind) for key in keys}
