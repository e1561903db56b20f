"""The settings that kubeadm and kind write into a cluster's ConfigMaps, before they are put into YAML."""

from __future__ import annotations

from aiops_gym.types import Json

ADDRESS = "https://kind-control-plane:6443"
INSIDE = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where a container finds the token of its account."""

COREFILE = """.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30
    loop
    reload
    loadbalance
}
"""

CLUSTER: Json = {
    "apiServer": {
        "certSANs": ["localhost", "127.0.0.1"],
        "extraArgs": [{"name": "runtime-config", "value": ""}],
    },
    "apiVersion": "kubeadm.k8s.io/v1beta4",
    "caCertificateValidityPeriod": "87600h0m0s",
    "certificateValidityPeriod": "8760h0m0s",
    "certificatesDir": "/etc/kubernetes/pki",
    "clusterName": "kind",
    "controlPlaneEndpoint": "kind-control-plane:6443",
    "controllerManager": {"extraArgs": [{"name": "enable-hostpath-provisioner", "value": "true"}]},
    "dns": {},
    "encryptionAlgorithm": "RSA-2048",
    "etcd": {"local": {"dataDir": "/var/lib/etcd"}},
    "imageRepository": "registry.k8s.io",
    "kind": "ClusterConfiguration",
    "kubernetesVersion": "v1.32.1",
    "networking": {"dnsDomain": "cluster.local", "podSubnet": "10.244.0.0/16", "serviceSubnet": "10.96.0.0/16"},
    "proxy": {},
    "scheduler": {},
}

AT_ZERO = (
    *("cpuManagerReconcilePeriod", "evictionPressureTransitionPeriod", "fileCheckFrequency", "httpCheckFrequency"),
    *("imageMaximumGCAge", "imageMinimumGCAge", "nodeStatusReportFrequency", "nodeStatusUpdateFrequency"),
    *("runtimeRequestTimeout", "shutdownGracePeriod", "shutdownGracePeriodCriticalPods"),
    *("streamingConnectionIdleTimeout", "syncFrequency", "volumeStatsAggPeriod"),
)
"""Times of a kubelet's configuration that nobody set: it takes its defaults."""

LOGGING: Json = {
    "flushFrequency": 0,
    "options": {"json": {"infoBufferSize": "0"}, "text": {"infoBufferSize": "0"}},
    "verbosity": 0,
}

KUBELET: Json = {
    "apiVersion": "kubelet.config.k8s.io/v1beta1",
    "authentication": {
        "anonymous": {"enabled": False},
        "webhook": {"cacheTTL": "0s", "enabled": True},
        "x509": {"clientCAFile": "/etc/kubernetes/pki/ca.crt"},
    },
    "authorization": {"mode": "Webhook", "webhook": {"cacheAuthorizedTTL": "0s", "cacheUnauthorizedTTL": "0s"}},
    "cgroupDriver": "systemd",
    "cgroupRoot": "/kubelet",
    "clusterDNS": ["10.96.0.10"],
    "clusterDomain": "cluster.local",
    "containerRuntimeEndpoint": "",
    "crashLoopBackOff": {},
    "evictionHard": {"imagefs.available": "0%", "nodefs.available": "0%", "nodefs.inodesFree": "0%"},
    "failSwapOn": False,
    "healthzBindAddress": "127.0.0.1",
    "healthzPort": 10248,
    "imageGCHighThresholdPercent": 100,
    "kind": "KubeletConfiguration",
    "logging": LOGGING,
    "memorySwap": {},
    "rotateCertificates": True,
    "staticPodPath": "/etc/kubernetes/manifests",
    **dict.fromkeys(AT_ZERO, "0s"),
}

PROXY: Json = {
    "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
    "bindAddress": "0.0.0.0",
    "bindAddressHardFail": False,
    "clientConnection": {
        "acceptContentTypes": "",
        "burst": 0,
        "contentType": "",
        "kubeconfig": "/var/lib/kube-proxy/kubeconfig.conf",
        "qps": 0,
    },
    "clusterCIDR": "10.244.0.0/16",
    "configSyncPeriod": "0s",
    "conntrack": {"maxPerCore": 0, "min": None, "tcpCloseWaitTimeout": None, "tcpEstablishedTimeout": None},
    "detectLocalMode": "",
    "enableProfiling": False,
    "healthzBindAddress": "",
    "hostnameOverride": "",
    "iptables": {
        "localhostNodePorts": None,
        "masqueradeAll": False,
        "masqueradeBit": None,
        "minSyncPeriod": "1s",
        "syncPeriod": "0s",
    },
    "kind": "KubeProxyConfiguration",
    "logging": LOGGING,
    "metricsBindAddress": "",
    "mode": "iptables",
    "nodePortAddresses": None,
    "oomScoreAdj": None,
    "portRange": "",
}

HELPER = """apiVersion: v1
kind: Pod
metadata:
  name: helper-pod
spec:
  containers:
  - name: helper-pod
    image: docker.io/kindest/local-path-helper:v20241212-8ac705d0
    imagePullPolicy: IfNotPresent
"""
PLACES = '{\n  "nodePathMap": [\n    {\n      "node": "DEFAULT_PATH_FOR_NON_LISTED_NODES",\n'
PLACES += '      "paths": ["/var/local-path-provisioner"]\n    }\n  ]\n}\n'
