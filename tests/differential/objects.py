"""The objects of the small shop on which both kubectls are tried: something of every kind that people look at."""

from __future__ import annotations

from typing import Any

Json = Any
NS = "shop"


def meta(name: str, namespace: str = NS, **more: Json) -> Json:
    found = {"name": name, **more}
    return {**found, "namespace": namespace} if namespace else found


def container(name: str = "app", image: str = "app:1", script: str = "", **more: Json) -> Json:
    command = {"command": ["/bin/sh", "-c", script]} if script else {}
    return {"name": name, "image": image, **command, **more}


def template(labels: Json, *containers: Json, **spec: Json) -> Json:
    return {"metadata": {"labels": labels}, "spec": {"containers": list(containers), **spec}}


def workload(kind: str, name: str, *containers: Json, replicas: int = 1, spec: Json = None, **pod: Json) -> Json:
    labels = {"app": name}
    body = {"selector": {"matchLabels": labels}, "template": template(labels, *containers, **pod), **(spec or {})}
    if kind != "DaemonSet":
        body["replicas"] = replicas
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": meta(name, labels={**labels, "tier": "front" if name == "web" else "back"}),
        "spec": body,
    }


def deployment(name: str, *containers: Json, **more: Json) -> Json:
    return workload("Deployment", name, *containers, **more)


def pod(name: str, *containers: Json, labels: Json = None, annotations: Json = None, **spec: Json) -> Json:
    more = {"annotations": annotations} if annotations else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta(name, labels=labels or {"run": name}, **more),
        "spec": {"containers": list(containers), **spec},
    }


def thing(kind: str, name: str, api_version: str = "v1", namespace: str = NS, **fields: Json) -> Json:
    extra = fields.pop("metadata", {})
    return {"apiVersion": api_version, "kind": kind, "metadata": meta(name, namespace, **extra), **fields}


def job(name: str, script: str, **spec: Json) -> Json:
    body = {"template": {"spec": {"restartPolicy": "Never", "containers": [container("work", "busybox:1.36", script)]}}}
    return thing("Job", name, "batch/v1", spec={**body, **spec})


HTTP = {"httpGet": {"path": "/", "port": 8080}}
RESOURCES = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "500m", "memory": "128Mi"}}
RBAC = "rbac.authorization.k8s.io"
MANY = "\n".join(f"{number} of many" for number in range(3))

CONFIG = [
    thing("ServiceAccount", "reader"),
    thing("ServiceAccount", "builder", imagePullSecrets=[{"name": "registry"}]),
    thing("ConfigMap", "settings", data={"mode": "fast", "app.conf": "a=1\nb=2\n# end\n", "empty": ""}),
    thing("ConfigMap", "blob", binaryData={"raw": "AAEC/w=="}, data={"note": "two parts"}),
    thing("Secret", "login", type="Opaque", data={"user": "YWRtaW4=", "password": "czNjcjN0"}),
    thing(
        "Secret",
        "cert",
        type="kubernetes.io/tls",
        data={
            "tls.crt": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==",
            "tls.key": "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCg==",
        },
    ),
    thing(
        "ResourceQuota",
        "budget",
        spec={"hard": {"pods": "40", "services": "20", "requests.storage": "100Gi", "configmaps": "10"}},
    ),
    thing(
        "LimitRange",
        "sizes",
        namespace="limited",
        spec={
            "limits": [
                {"type": "Container", "default": {"cpu": "200m", "memory": "64Mi"}, "max": {"cpu": "1"}},
                {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "10Gi"}},
            ]
        },
    ),
    thing(
        "Role",
        "look",
        f"{RBAC}/v1",
        rules=[
            {"apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["get", "list", "watch"]},
            {"apiGroups": ["apps"], "resources": ["deployments"], "resourceNames": ["web"], "verbs": ["patch"]},
        ],
    ),
    thing(
        "RoleBinding",
        "look",
        f"{RBAC}/v1",
        roleRef={"apiGroup": RBAC, "kind": "Role", "name": "look"},
        subjects=[
            {"kind": "ServiceAccount", "name": "reader", "namespace": NS},
            {"kind": "User", "name": "ann", "apiGroup": RBAC},
        ],
    ),
    thing(
        "ClusterRole",
        "see-nodes",
        f"{RBAC}/v1",
        "",
        rules=[
            {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list"]},
            {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
        ],
    ),
    thing(
        "ClusterRoleBinding",
        "see-nodes",
        f"{RBAC}/v1",
        "",
        roleRef={"apiGroup": RBAC, "kind": "ClusterRole", "name": "see-nodes"},
        subjects=[{"kind": "Group", "name": "ops", "apiGroup": RBAC}],
    ),
    thing("PriorityClass", "urgent", "scheduling.k8s.io/v1", "", value=1000, description="first in line"),
    thing(
        "StorageClass",
        "disk",
        "storage.k8s.io/v1",
        "",
        provisioner="example.com/none",
        volumeBindingMode="Immediate",
        allowVolumeExpansion=True,
        parameters={"type": "ssd"},
    ),
    thing(
        "PersistentVolume",
        "vol-1",
        namespace="",
        spec={
            "capacity": {"storage": "5Gi"},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": "/data/one"},
            "storageClassName": "manual",
            "persistentVolumeReclaimPolicy": "Retain",
        },
    ),
    thing(
        "PersistentVolume",
        "vol-free",
        namespace="",
        metadata={"labels": {"kind": "nfs"}},
        spec={
            "capacity": {"storage": "20Gi"},
            "accessModes": ["ReadWriteMany", "ReadOnlyMany"],
            "nfs": {"server": "10.0.0.9", "path": "/share", "readOnly": True},
            "storageClassName": "manual-nfs",
        },
    ),
    thing(
        "PersistentVolumeClaim",
        "data",
        spec={
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "manual",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    ),
    thing(
        "Ingress",
        "front",
        "networking.k8s.io/v1",
        metadata={"annotations": {"nginx.ingress.kubernetes.io/rewrite-target": "/"}},
        spec={
            "ingressClassName": "nginx",
            "tls": [{"hosts": ["shop.example.com"], "secretName": "cert"}],
            "rules": [
                {
                    "host": "shop.example.com",
                    "http": {
                        "paths": [
                            {
                                "path": "/",
                                "pathType": "Prefix",
                                "backend": {"service": {"name": "web", "port": {"number": 80}}},
                            },
                            {
                                "path": "/api",
                                "pathType": "Exact",
                                "backend": {"service": {"name": "absent", "port": {"name": "http"}}},
                            },
                        ]
                    },
                }
            ],
        },
    ),
    thing("IngressClass", "nginx", "networking.k8s.io/v1", "", spec={"controller": "k8s.io/ingress-nginx"}),
    thing(
        "NetworkPolicy",
        "guard",
        "networking.k8s.io/v1",
        spec={
            "podSelector": {"matchLabels": {"app": "db"}},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [
                {
                    "from": [{"podSelector": {"matchLabels": {"app": "web"}}}, {"namespaceSelector": {}}],
                    "ports": [{"port": 5432, "protocol": "TCP"}],
                }
            ],
            "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}]}],
        },
    ),
    thing("NetworkPolicy", "deny-all", "networking.k8s.io/v1", spec={"podSelector": {}, "policyTypes": ["Ingress"]}),
    thing(
        "PodDisruptionBudget",
        "web",
        "policy/v1",
        spec={"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}},
    ),
    thing(
        "PodDisruptionBudget",
        "db",
        "policy/v1",
        spec={"maxUnavailable": "50%", "selector": {"matchLabels": {"app": "db"}}},
    ),
    thing(
        "HorizontalPodAutoscaler",
        "web",
        "autoscaling/v2",
        spec={
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 3,
            "maxReplicas": 6,
            "metrics": [
                {
                    "type": "Resource",
                    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
                }
            ],
        },
    ),
]


def service(name: str, app: str, ports: list[Json], **spec: Json) -> Json:
    selector = {"selector": {"app": app}} if app else {}
    return thing("Service", name, metadata={"labels": {"app": name}}, spec={**selector, "ports": ports, **spec})


SERVICES = [
    service("web", "web", [{"name": "http", "port": 80, "targetPort": 8080}]),
    service("web-node", "web", [{"port": 80, "targetPort": "http", "nodePort": 30080}], type="NodePort"),
    service("db", "db", [{"name": "sql", "port": 5432}, {"name": "stats", "port": 9187}], clusterIP="None"),
    service("outside", "", [], type="ExternalName", externalName="example.com"),
    service("nowhere", "nothing-has-this", [{"port": 1234, "protocol": "UDP"}], sessionAffinity="ClientIP"),
    service("balanced", "web", [{"port": 443, "targetPort": 8080}], type="LoadBalancer"),
]

WORKLOADS = [
    deployment(
        "web",
        container(
            ports=[{"containerPort": 8080, "name": "http"}],
            readinessProbe={**HTTP, "periodSeconds": 5},
            livenessProbe={"tcpSocket": {"port": 8080}, "initialDelaySeconds": 5},
            resources=RESOURCES,
            env=[
                {"name": "MODE", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "mode"}}},
                {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "login", "key": "password"}}},
                {"name": "MY_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                {"name": "PLAIN", "value": "a value"},
            ],
            envFrom=[{"configMapRef": {"name": "settings"}}],
            volumeMounts=[{"name": "conf", "mountPath": "/etc/shop"}, {"name": "tmp", "mountPath": "/tmp"}],
        ),
        replicas=3,
        volumes=[{"name": "conf", "configMap": {"name": "settings"}}, {"name": "tmp", "emptyDir": {}}],
        spec={"minReadySeconds": 2},
    ),
    deployment("api", container(), spec={"strategy": {"type": "Recreate"}}, replicas=2),
    deployment("zero", container(), replicas=0),
    workload(
        "StatefulSet",
        "db",
        container("sql", "busybox:1.36", "echo ready to serve; sleep infinity"),
        replicas=2,
        spec={"serviceName": "db"},
    ),
    workload(
        "DaemonSet",
        "agent",
        container("agent", "busybox:1.36", "sleep infinity"),
        tolerations=[{"operator": "Exists"}],
        spec={"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}},
    ),
    pod(
        "duo",
        container("first", "busybox:1.36", "echo one; echo two; echo three; sleep infinity"),
        container("second", "busybox:1.36", "i=0; while true; do i=$((i+1)); echo tick $i; sleep 7; done"),
        initContainers=[container("prepare", "busybox:1.36", "echo preparing; sleep 1")],
        labels={"run": "duo", "app": "duo", "colour": "blue"},
        annotations={"kubectl.kubernetes.io/default-container": "second", "note": "two containers"},
        volumes=[
            {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
            {"name": "login", "secret": {"secretName": "login", "optional": True}},
            {"name": "host", "hostPath": {"path": "/var/log", "type": "Directory"}},
        ],
    ),
    pod("once", container("work", "busybox:1.36", "echo done at once"), restartPolicy="Never"),
    pod("twice", container("work", "busybox:1.36", "echo oh no >&2; exit 3"), restartPolicy="Never"),
    job("report", "echo report written", ttlSecondsAfterFinished=86400),
    job("pair", "echo half; sleep 2", completions=2, parallelism=1),
    thing(
        "CronJob",
        "nightly",
        "batch/v1",
        spec={"schedule": "0 3 * * *", "timeZone": "Etc/UTC", "jobTemplate": {"spec": job("x", "echo night")["spec"]}},
    ),
    thing(
        "CronJob",
        "often",
        "batch/v1",
        spec={
            "schedule": "*/1 * * * *",
            "suspend": False,
            "concurrencyPolicy": "Forbid",
            "jobTemplate": {"spec": job("x", "echo again")["spec"]},
        },
    ),
]

BROKEN = [
    deployment("crash", container("app", "busybox:1.36", "echo starting; echo 'panic: no config' >&2; exit 2")),
    deployment("pull", container("app", "missing:9"), replicas=2),
    deployment("hungry", container(resources={"requests": {"cpu": "64", "memory": "1Gi"}})),
    deployment("nowhere", container(), nodeSelector={"disk": "ssd"}),
    deployment("unmounted", container(), volumes=[{"name": "v", "configMap": {"name": "absent"}}], replicas=1),
    deployment("unset", container(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "absent", "key": "k"}}}])),
    deployment(
        "initfail",
        container(),
        initContainers=[
            container("ok", "busybox:1.36", "echo fine"),
            container("check", "busybox:1.36", "echo no database; exit 1"),
        ],
    ),
    deployment("unready", container(readinessProbe={"httpGet": {"path": "/", "port": 9999}, "periodSeconds": 3})),
    deployment("sick", container(livenessProbe={"httpGet": {"path": "/", "port": 9999}, "periodSeconds": 5})),
    deployment(
        "halfway",
        container("good", "app:1"),
        container("bad", "busybox:1.36", "echo bad; sleep 3; exit 1"),
    ),
    deployment("noexec", container(command=["/no/such/program"])),
    thing(
        "PersistentVolumeClaim",
        "stuck",
        spec={
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "absent",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    ),
    pod(
        "waits",
        container(volumeMounts=[{"name": "v", "mountPath": "/v"}]),
        volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "stuck"}}],
    ),
    job("fails", "echo cannot; exit 4", backoffLimit=1),
    thing("Namespace", "going", namespace="", metadata={"labels": {"team": "old"}}),
    service("toobad", "crash", [{"port": 80}]),
]

EVICTED = {
    "phase": "Failed",
    "reason": "Evicted",
    "message": "The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi. ",
}
