"""nginx, "listen"; Redis and mongod, "port"; memcached(1), "-p": where a process listens, and where it is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.oncall.books.credentials import edited
from aiops_gym.agents.oncall.findings import MISCONFIGURED, PROGRAM, Finding
from aiops_gym.agents.oncall.objects import Cluster, Object, containers
from aiops_gym.agents.oncall.repairs import restore
from aiops_gym.agents.oncall.signals import read_knocks, read_settings

_LINE = re.compile(r"^(\s*(?:listen|port):?\s+)(\d+)")


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://nginx.org/en/docs/http/ngx_http_core_module.html#listen and its like in other servers."""
    for workload in cluster.workloads():
        asked = _asked(cluster, workload)
        if asked is not None and _is_shut(cluster, workload, asked):
            yield from _in_files(cluster, workload, asked)
            yield from _in_arguments(cluster, workload, asked)


def _asked(cluster: Cluster, workload: Object) -> int | None:
    """The port to which its Service sends."""
    service = cluster.named("Service", workload["name"])
    found = service["ports"][0].get("targetPort") if service is not None and service.get("ports") else None
    return found if isinstance(found, int) else None


def _is_shut(cluster: Cluster, workload: Object, port: int) -> bool:
    """Whether somebody knocked there at a ready pod, and nobody answered."""
    names = [pod["name"] for pod in cluster.pods(workload)]
    knocks = [said for (kind, name, at), said in read_knocks(cluster).items() if name in names and at == port]
    return bool(knocks) and "open" not in knocks


def _in_files(cluster: Cluster, workload: Object, asked: int) -> Iterator[Finding]:
    mounts = [each.get("configMap", {}).get("name") for each in workload["template"]["spec"].get("volumes", [])]
    for setting in read_settings(cluster):
        found = _LINE.match(setting.path)
        if found and setting.source in mounts and int(found[2]) != asked and is_newer(cluster, workload):
            how = f"sed -E 's/^([ \t]*(listen|port):?[ \t]+){found[2]}/\\1{asked}/'"
            repair = edited(cluster, workload, setting.source, setting.file, how)
            why = f"it listens at {found[2]}, and is asked at {asked}"
            yield Finding(workload["name"], PROGRAM, MISCONFIGURED, why, repairs=(repair,), depth=3)


def is_newer(cluster: Cluster, workload: Object) -> bool:
    """Whether the files that it reads were written after its Service was: then the Service is not what was changed."""
    mounts = [each.get("configMap", {}).get("name") for each in workload["template"]["spec"].get("volumes", [])]
    written = [int(each.get("version") or 0) for each in cluster.of("ConfigMap") if each["name"] in mounts]
    service = cluster.named("Service", workload["name"]) or {}
    return max(written, default=0) > int(service.get("version") or 0)


def _in_arguments(cluster: Cluster, workload: Object, asked: int) -> Iterator[Finding]:
    for at, container in enumerate(containers(workload)):
        for field in ("command", "args"):
            words = container.get(field, [])
            for place, word in enumerate(words[:-1]):
                if word in ("-p", "--port") and words[place + 1].isdigit() and int(words[place + 1]) != asked:
                    path = ("spec", "containers", at, field, place + 1)
                    repair = restore(cluster, workload, path, str(asked))
                    why = f"it listens at {words[place + 1]}, and is asked at {asked}"
                    yield Finding(workload["name"], PROGRAM, MISCONFIGURED, why, repairs=(repair,), depth=3)
