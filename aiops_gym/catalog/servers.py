"""What listens in the cluster's own pods, and how large their images are."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.types import Json

MIB = 1 << 20

VERSION_PAGE = """{
  "major": "1",
  "minor": "32",
  "gitVersion": "v1.32.1",
  "gitTreeState": "clean",
  "compiler": "gc",
  "platform": "linux/amd64"
}"""
FORBIDDEN = """{
  "kind": "Status",
  "apiVersion": "v1",
  "metadata": {},
  "status": "Failure",
  "message": "forbidden: User \\"system:anonymous\\" cannot get path \\"/\\"",
  "reason": "Forbidden",
  "details": {},
  "code": 403
}"""
HEALTH: Json = {"/healthz": [200, "ok"], "/livez": [200, "ok"], "/readyz": [200, "ok"]}

PUSH_HEALTH: Json = {"/-/healthy": [200, ""], "/-/ready": [200, ""]}
NODE_PAGE = '<html><head><title>Node Exporter</title></head><body><a href="/metrics">Metrics</a></body></html>\n'

SERVERS: Mapping[str, Json] = {
    "alertmanager": {"ports": [9093], "http": {"/-/healthy": [200, "OK"], "/-/ready": [200, "OK"]}, "metrics": "go"},
    "coredns": {"ports": [53, 9153], "metrics": "coredns"},
    "kube-apiserver": {
        "ports": [6443],
        "tls": True,
        "http": {"/": [403, FORBIDDEN], "/version": [200, VERSION_PAGE], **HEALTH},
        "otherwise": 403,
        "cpu": 0.03,
        "memory": 260 * MIB,
        "metrics": "apiserver",
    },
    "kube-state-metrics": {
        "ports": [8080],
        "http": {"/healthz": [200, "OK"], "/livez": [200, "OK"]},
        "metrics": "kube_state",
    },
    "metrics-server": {"ports": [10250], "tls": True, "http": HEALTH},
    "node-exporter": {"ports": [9100], "http": {"/": [200, NODE_PAGE]}, "metrics": "node"},
    "prometheus-pushgateway": {"ports": [9091], "http": PUSH_HEALTH, "metrics": "go"},
    "prometheus-server": {"ports": [9090], "cpu": 0.03, "memory": 260 * MIB},
}
"""What listens in the containers of the cluster's own pods, by container name."""

SIZES: Mapping[str, int] = {
    "alertmanager": 30_853_416,
    "coredns": 18_562_039,
    "etcd": 57_680_541,
    "kindnet-cni": 39_008_320,
    "kube-apiserver": 28_671_624,
    "kube-controller-manager": 26_258_470,
    "kube-proxy": 30_907_858,
    "kube-scheduler": 20_657_902,
    "kube-state-metrics": 13_198_754,
    "local-path-provisioner": 20_939_036,
    "metrics-server": 19_494_617,
    "node-exporter": 11_589_208,
    "openebs-localpv-provisioner": 28_810_913,
    "openebs-ndm": 67_250_814,
    "openebs-ndm-cluster-exporter": 44_105_827,
    "openebs-ndm-node-exporter": 44_105_827,
    "openebs-ndm-operator": 44_337_285,
    "prometheus-pushgateway": 9_832_519,
    "prometheus-server": 92_873_331,
}
"""Bytes to pull of their images."""
