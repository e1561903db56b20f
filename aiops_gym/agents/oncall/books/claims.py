"""Kubernetes, "Persistent Volumes" and "Configure a Pod to Use a PersistentVolume for Storage"."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.oncall.findings import MISCONFIGURED, OPERATED, PLATFORM, Finding
from aiops_gym.agents.oncall.objects import Cluster, Object, alike
from aiops_gym.agents.oncall.repairs import ABSENT, earlier, get, restore


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://kubernetes.io/docs/concepts/storage/persistent-volumes/."""
    for workload in cluster.workloads():
        for at, volume in enumerate(workload["template"]["spec"].get("volumes", [])):
            name = get(volume, ("persistentVolumeClaim", "claimName"))
            claim = cluster.named("PersistentVolumeClaim", str(name))
            if name is ABSENT or (claim is not None and get(claim, ("status", "phase")) == "Bound"):
                continue
            released = _released(cluster, str(name))
            if released is not None:
                yield _reclaim(cluster, workload, released)
            else:
                yield _other_claim(cluster, workload, at, str(name))


def _released(cluster: Cluster, claim: str) -> Object | None:
    """The volume that was this claim's, and still remembers it."""
    for volume in cluster.of("PersistentVolume"):
        if get(volume, ("spec", "claimRef", "name")) == claim and get(volume, ("status", "phase")) == "Released":
            return volume
    return None


def _reclaim(cluster: Cluster, workload: Object, volume: Object) -> Finding:
    """Reserving a PersistentVolume: a released one is bound again once it forgets the claim's uid."""
    volumes = [each for each in cluster.of("PersistentVolume") if get(each, ("status", "phase")) == "Released"]
    commands = [
        f"""kubectl patch pv {each["name"]} --type=json -p '[{{"op": "remove", "path": "/spec/claimRef/uid"}}, """
        f"""{{"op": "remove", "path": "/spec/claimRef/resourceVersion"}}]'"""
        for each in volumes
    ]
    why = f"volume {volume['name']} is released, and its claim waits"
    return Finding(workload["name"], PLATFORM, OPERATED, why, repairs=("; ".join(commands) + "; sleep 60",), depth=3)


def _other_claim(cluster: Cluster, workload: Object, at: int, name: str) -> Finding:
    """The claim that it had, or the bound one that nobody uses."""
    path = ("spec", "volumes", at, "persistentVolumeClaim", "claimName")
    used = [
        get(volume, ("persistentVolumeClaim", "claimName"))
        for other in cluster.workloads()
        for volume in other["template"]["spec"].get("volumes", [])
    ]
    free = [
        each["name"]
        for each in cluster.of("PersistentVolumeClaim")
        if get(each, ("status", "phase")) == "Bound" and each["name"] not in used
    ]
    near = max(free, key=lambda each: alike(each, name), default=name)
    known = earlier(cluster, workload, path) not in (name, ABSENT)
    repairs = (restore(cluster, workload, path, near),) if known or near != name else ()
    return Finding(
        workload["name"], PLATFORM, MISCONFIGURED, f"its claim {name} is not bound", repairs=repairs, depth=3
    )
