"""Golden signals, logs, settings and tries from inside the cluster: what is asked, and how the answers are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aiops_gym.agents.oncall.objects import Cluster, is_ready, owner, ports

PROBE = "oncall-debug"
"""Name of the pod from which things are tried: what "Debug Services" calls a pod inside the cluster."""

IMAGE = "busybox:1.36"

_WORDS = (
    "err|fail|refuse|denied|deny|timed out|timeout|unauth|not authorized|noauth|wrongpass|panic|fatal|no route|ssl"
    "|no such host|name resolution|exception"
)

_DULL = r"zerolog\.|goroutine |user_id: [0-9]* not found"

LOGS = (
    "for p in $(kubectl get pods -n {namespace} -o name); do"
    " { kubectl logs -n {namespace} $p --all-containers --since=150s --tail=150;"
    " kubectl logs -n {namespace} $p --previous --tail=20; } 2>/dev/null"
    f" | grep -iE '{_WORDS}' | grep -vE '{_DULL}' | tail -3 | cut -c1-420 | sed \"s|^|$p: |\"; done | head -c 15500"
)
"""The last complaints of each pod, those of the container that died before too."""

SETTINGS = (
    'kubectl get configmaps -n {namespace} -o json | jq -r \'.items[] | select(.metadata.name != "kube-root-ca.crt")'
    " | .metadata.name as $n | (.data // {}) | to_entries[] | .key as $k"
    ' | if (.key | endswith(".json")) then (.value | fromjson? // empty) | paths(scalars) as $p'
    ' | [$k, ($p | map(tostring) | join(".")), (getpath($p) | tostring), $n] | @tsv'
    ' elif (.key | endswith(".conf")) then (.value | length) as $l | .value | split("\\n")[] | select(. != "")'
    ' | select($l < 1500 or test("^ *listen ")) | [$k, ., "", $n] | @tsv else empty end\' > /tmp/settings;'
    " awk -F'\\t' '{ row = $1 FS $2 FS $3; n[row]++; who[row] = $4; if (n[row] == 1) kinds[$1 FS $2]++;"
    " if (!(($1 FS $4) in seen)) { seen[$1 FS $4] = 1; files[$1]++ } }"
    " END { for (row in n) { split(row, f, FS); if (kinds[f[1] FS f[2]] > 1 || n[row] * 2 < files[f[1]] ||"
    " f[2] ~ /[.]port$|^ *(listen|port):? / || f[3] ~ /^[a-z0-9.-]+:[0-9]+$/) print row FS who[row]"
    " FS n[row] FS files[f[1]] } }'"
    " /tmp/settings | sort | head -c 15000"
)
"""Settings in ConfigMaps that are addresses, or that not all files of a name say alike: file, path, value, one of the
ConfigMaps, how many say so, how many such files there are."""

ERRORS = (
    '(sum by (proxy) (rate(haproxy_backend_http_responses_total{code="5xx",proxy=~"{namespace}_.*"}[2m]))'
    ' / sum by (proxy) (rate(haproxy_backend_http_requests_total{proxy=~"{namespace}_.*"}[2m])))'
    " - (sum by (proxy)"
    ' (rate(haproxy_backend_http_responses_total{code="5xx",proxy=~"{namespace}_.*"}[20m] offset 15m))'
    ' / sum by (proxy) (rate(haproxy_backend_http_requests_total{proxy=~"{namespace}_.*"}[20m] offset 15m)))'
)
"""Share of failing requests of each operation, less what it was before: what is chronic is no incident."""

LATENCY = (
    'avg by (proxy) (avg_over_time(haproxy_backend_response_time_average_seconds{proxy=~"{namespace}_.*"}[1m]))'
    ' / avg by (proxy) (avg_over_time(haproxy_backend_response_time_average_seconds{proxy=~"{namespace}_.*"}[20m]'
    " offset 15m))"
)
"""How many times as long as before an answer takes."""

THROTTLED = (
    'sum by (pod) (rate(container_cpu_cfs_throttled_periods_total{namespace="{namespace}",container!=""}[2m]))'
    ' / sum by (pod) (rate(container_cpu_cfs_periods_total{namespace="{namespace}",container!=""}[2m])) > 0.25'
)
"""Of CPUThrottlingHigh of the Kubernetes mixin."""


MORE = 0.03
"""Share of requests that fail beyond what is usual."""

LONGER = 2.0
"""Times as long as usual."""


LATELY = 600
"""Seconds: an alert that began within them may be of this incident."""


@dataclass(frozen=True)
class Setting:
    """One value in files of settings.

    Attributes:
        source: name of a ConfigMap that says so.
        count: how many say so.
        files: how many files of the name there are.
    """

    file: str
    path: str
    value: str
    source: str
    count: int
    files: int


def fill(text: str, **names: str) -> str:
    """A command or query with its blanks filled in.

    >>> fill("up{job='{job}'}", job="web")
    "up{job='web'}"
    """
    for name, value in names.items():
        text = text.replace("{" + name + "}", value)
    return text


def open_probe(namespace: str) -> str:
    """Start the pod from which things are tried."""
    return (
        f"kubectl run {PROBE} -n {namespace} --image={IMAGE} --restart=Never -- sleep 900 &&"
        f" kubectl wait -n {namespace} --for=condition=Ready pod/{PROBE} --timeout=30s"
    )


def close_probe(namespace: str) -> str:
    """Take it away again."""
    return f"kubectl delete pod {PROBE} -n {namespace} --grace-period=1 --ignore-not-found"


def knock(cluster: Cluster) -> str:
    """Try each pod and each Service at its port."""
    return "; ".join(_knock(cluster, *each) for each in targets(cluster))


def ping(cluster: Cluster) -> str:
    """Send each pod that is ready now a few packets."""
    fields = "{.metadata.name} {.status.podIP} {.status.containerStatuses[0].restartCount}"
    listed = f"kubectl get pods -n {cluster.namespace} -o jsonpath='{{range .items[*]}}{fields}{{\"\\n\"}}{{end}}'"
    tried = f"kubectl exec -n {cluster.namespace} {PROBE} -- ping -c 10 -i 0.1 -W 1 $ip"
    each = f"while read -r name ip restarts; do echo $name $restarts $({tried} | tail -2); done"
    return f"{listed} > /tmp/pods; cat /tmp/pods | {each}"


def targets(cluster: Cluster) -> Iterator[tuple[str, str, str, int]]:
    """Kind, name, address and port of what can be knocked at: what pods declare and Services send to, and Services."""
    for pod in cluster.of("Pod"):
        workload = cluster.workload(pod)
        if workload is not None and pod.get("ip") and is_ready(pod):
            declared = [each["containerPort"] for each in _tcp(ports(workload))[:1]]
            service = cluster.named("Service", workload["name"]) or {}
            asked = [each.get("targetPort") for each in _tcp(service.get("ports") or [])[:1]]
            for port in dict.fromkeys([*declared, *(each for each in asked if isinstance(each, int))]):
                yield "pod", pod["name"], pod["ip"], port
    for service in cluster.of("Service"):
        for offered in _tcp(service.get("ports") or [])[:1]:
            yield "service", service["name"], service["name"], offered["port"]


def _tcp(found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for each in found if each.get("protocol", "TCP") == "TCP"]


def _knock(cluster: Cluster, kind: str, name: str, address: str, port: int) -> str:
    tried = f"kubectl exec -n {cluster.namespace} {PROBE} -- nc -z -w 1 {address} {port}"
    return f"echo {kind} {name} {port} $({tried} >/tmp/said 2>&1 && echo open || tail -2 /tmp/said)"


def complaints(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Lines of logs that complain, each with the workload whose pod printed it."""
    names = {pod["name"]: owner(pod) for pod in cluster.of("Pod")}
    for line in cluster.signals.get("logs", "").splitlines():
        pod, found, said = line.removeprefix("pod/").partition(": ")
        if found and names.get(pod):
            yield names[pod], said


def read_table(text: str) -> dict[str, float]:
    """Two columns of a table of `query_metrics`: what is measured, and its value.

    >>> read_table("        proxy value\\n shop_home   0.5")
    {'shop_home': 0.5}
    """
    found = {}
    for line in text.splitlines():
        cells = line.split()
        if len(cells) == 2 and re.fullmatch(r"[-+0-9.e]+", cells[1]):
            found[cells[0]] = float(cells[1])
    return found


def is_hurt(cluster: Cluster) -> bool:
    """Whether users see more errors or longer waits than before (Google's SRE book, "The Four Golden Signals")."""
    failing, slow = (read_table(cluster.signals.get(name, "")) for name in ("errors", "latency"))
    worse = any(value > MORE for value in failing.values()) or any(value > LONGER for value in slow.values())
    return worse or bool(fresh_alerts(cluster))


def fresh_alerts(cluster: Cluster) -> list[str]:
    """Names of the alerts that fire and began of late: one that fires for hours is no news."""
    now = _seconds(cluster.now)
    rows = [line.split() for line in cluster.signals.get("alerts", "").splitlines()]
    begun = [(row[3], _seconds(row[1])) for row in rows if len(row) > 3 and row[0] == "firing"]
    return [name for name, since in begun if now is not None and since is not None and now - since < LATELY]


def _seconds(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


def read_settings(cluster: Cluster) -> list[Setting]:
    """What `SETTINGS` printed."""
    rows = [line.split("\t") for line in cluster.signals.get("settings", "").splitlines()]
    return [Setting(row[0], row[1], row[2], row[3], int(row[4]), int(row[5])) for row in rows if len(row) == 6]


def read_knocks(cluster: Cluster) -> dict[tuple[str, str, int], str]:
    """Answer by kind, name and port."""
    found = {}
    for line in cluster.signals.get("knocks", "").splitlines():
        kind, name, port, *said = line.split(" ")
        if kind in ("pod", "service") and port.isdigit():
            found[kind, name, int(port)] = " ".join(said)
    return found


def restarts_since(cluster: Cluster) -> dict[str, int]:
    """How often each pod's container had been started anew when it was pinged."""
    rows = [line.split(" ") for line in cluster.signals.get("pings", "").splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}
