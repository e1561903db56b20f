"""Kubernetes, "DNS for Services and Pods" and "ConfigMaps": addresses, and settings that others do not share."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator

from aiops_gym.agents.oncall.books.listening import is_newer
from aiops_gym.agents.oncall.findings import CAUSE, HINT, LIKELY, MISCONFIGURED, PLATFORM, PROGRAM, Finding
from aiops_gym.agents.oncall.objects import Cluster, Object, containers
from aiops_gym.agents.oncall.repairs import ABSENT, Path, restore
from aiops_gym.agents.oncall.signals import Setting, is_hurt, read_settings

_ADDRESS = re.compile(r"(?<![\w./-])([a-z][a-z0-9-]*(?:\.[a-z0-9.-]+)?):(\d{2,5})(?!\d)")


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/."""
    for workload in cluster.workloads():
        yield from _in_template(cluster, workload)
        yield from _hosts(cluster, workload)
        yield from _resolver(cluster, workload)
    for setting in read_settings(cluster):
        for workload in cluster.workloads():
            if setting.source in mounted(workload):
                yield from _odd(cluster, workload, setting)


def mounted(workload: Object) -> set[str]:
    """ConfigMaps that it mounts."""
    volumes = workload["template"]["spec"].get("volumes", [])
    return {each["configMap"]["name"] for each in volumes if "configMap" in each}


def wrong(cluster: Cluster, address: str) -> str | None:
    """What an address of this namespace should be; None where nothing is wrong with it.

    An address is wrong whose name is that of a Service here and whose port the Service does not offer, or whose name
    has another namespace behind it that is not there.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return None
    host, _, domain = found[1].partition(".")
    service = cluster.named("Service", host)
    if service is None:
        return _near(cluster, host, found[2])
    offered = [str(each["port"]) for each in service.get("ports") or []]
    foreign = domain.split(".")[0] not in ("", cluster.namespace)
    if found[2] in offered and not foreign:
        return None
    nearest = min(offered, key=lambda each: abs(int(each) - int(found[2])), default="")
    return f"{host}:{nearest}" if offered else None


def _near(cluster: Cluster, host: str, port: str) -> str | None:
    """A Service of nearly this name at this port."""
    for service in cluster.of("Service"):
        offered = [str(each["port"]) for each in service.get("ports") or []]
        if port in offered and (host.startswith(f"{service['name']}-") or service["name"].startswith(f"{host}-")):
            return f"{service['name']}:{port}"
    return None


def _in_template(cluster: Cluster, workload: Object) -> Iterator[Finding]:
    """Environment and arguments."""
    for at, container in enumerate(containers(workload)):
        places: list[tuple[Path, str]] = []
        for number, entry in enumerate(container.get("env", [])):
            places.append((("spec", "containers", at, "env", number, "value"), str(entry.get("value", ""))))
        for field in ("command", "args"):
            for number, text in enumerate(container.get(field, [])):
                places.append((("spec", "containers", at, field, number), str(text)))
        for path, text in places:
            for found in _ADDRESS.finditer(text):
                right = wrong(cluster, found[0])
                if right is not None:
                    repair = restore(cluster, workload, path, text.replace(found[0], right))
                    why = f"it is told {found[0]}, where nobody answers"
                    yield Finding(workload["name"], PROGRAM, MISCONFIGURED, why, CAUSE, (repair,), 2)


def _hosts(cluster: Cluster, workload: Object) -> Iterator[Finding]:
    """Adding entries to /etc/hosts: a name of a Service that is pinned to an address which the Service has not."""
    for entry in workload["template"]["spec"].get("hostAliases", []):
        for name in entry.get("hostnames", []):
            service = cluster.named("Service", name.split(".")[0])
            if service is not None and service.get("ip") != entry["ip"]:
                kept = [each for each in workload["template"]["spec"]["hostAliases"] if each is not entry]
                repair = restore(cluster, workload, ("spec", "hostAliases"), kept or ABSENT)
                why = f"its hosts file says {entry['ip']} for {name}, which is at {service.get('ip')}"
                yield Finding(workload["name"], PLATFORM, MISCONFIGURED, why, CAUSE, (repair,), 3)


def _resolver(cluster: Cluster, workload: Object) -> Iterator[Finding]:
    """Pod's DNS Policy: a pod that does not ask the cluster's name servers finds no Service."""
    spec = workload["template"]["spec"]
    policy, servers = spec.get("dnsPolicy"), (spec.get("dnsConfig") or {}).get("nameservers") or []
    own = cluster.named("Service", "kube-dns")
    if policy in ("None", "Default") and not spec.get("hostNetwork"):
        if policy == "None" and own is not None and own.get("ip") in servers:
            return
        strength = CAUSE if is_hurt(cluster) else HINT
        repair = restore(cluster, workload, ("spec", "dnsPolicy"), "ClusterFirst")
        yield Finding(workload["name"], PLATFORM, MISCONFIGURED, f"its dnsPolicy is {policy}", strength, (repair,), 2)


def _odd(cluster: Cluster, workload: Object, setting: Setting) -> Iterator[Finding]:
    """One file says otherwise than all others of its name, or names an address where nobody is."""
    right = _port(cluster, workload, setting) if setting.path.endswith(".port") else wrong(cluster, setting.value)
    usual = _usual(cluster, setting)
    if right is not None:
        yield _told(cluster, workload, setting, right, CAUSE)
    elif usual is not None and setting.count == 1 and not setting.path.endswith(".port"):
        strength = HINT
        if setting.value == "0" or (setting.path.endswith(".addr") and not cluster.named("Service", setting.value)):
            strength = CAUSE if is_hurt(cluster) else LIKELY
        yield _told(cluster, workload, setting, usual, strength)


def _port(cluster: Cluster, workload: Object, setting: Setting) -> str | None:
    """The port that a Service has, where this file says another.

    A program's own port is the one to which its Service sends; of others it is one that their Services offer.
    """
    service = cluster.named("Service", setting.path.removesuffix(".port"))
    if service is None or not service.get("ports"):
        return None
    if service["name"] == workload["name"]:
        target = str(service["ports"][0].get("targetPort"))
        return target if target.isdigit() and target != setting.value and is_newer(cluster, workload) else None
    offered, usual = [str(each["port"]) for each in service["ports"]], _usual(cluster, setting)
    return usual if setting.value not in offered and usual in offered else None


def _usual(cluster: Cluster, setting: Setting) -> str | None:
    """What most others say in this place of a JSON file, where this one says otherwise."""
    same = [each for each in read_settings(cluster) if (each.file, each.path) == (setting.file, setting.path)]
    most = max(same, key=lambda each: each.count)
    return most.value if most.value != setting.value and 2 * most.count > setting.files > 2 else None


def _told(cluster: Cluster, workload: Object, setting: Setting, value: str, strength: int) -> Finding:
    path = json.dumps(setting.path.split("."))
    new = value if re.fullmatch(r"-?\d+(\.\d+)?|true|false", value) and ":" not in value else json.dumps(value)
    text = f".data[{json.dumps(setting.file)}] |= (fromjson | setpath({path}; {new}) | tojson)"
    edit = (
        f"kubectl get configmap {setting.source} -n {cluster.namespace} -o json | jq {shlex.quote(text)}"
        f" | kubectl replace -f -"
    )
    restart = f"kubectl rollout restart {workload['kind'].lower()}/{workload['name']} -n {cluster.namespace}"
    wait = f"kubectl rollout status {workload['kind'].lower()}/{workload['name']} -n {cluster.namespace} --timeout=120s"
    why = f"its {setting.file} says {setting.path} = {setting.value}, others say {value}"
    return Finding(workload["name"], PROGRAM, MISCONFIGURED, why, strength, (f"{edit}; {restart}; {wait}",), 2)
