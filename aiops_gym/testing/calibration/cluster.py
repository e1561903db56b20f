"""A fresh simulated cluster like the one on which a scenario was recorded: its nodes, and the manifest's images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym.shell.inside import run_utility
from aiops_gym.sim import kube_api
from aiops_gym.sim.dynamics import make_dynamics
from aiops_gym.sim.kernel.blueprint import Binary, Blueprint, Image
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

START = 1_772_442_005_000
SETTLED = 5_000
"""Milliseconds from the first object to time 0 of a scenario: the controllers have seen the nodes by then."""

PULLS = {"present": "ok", "absent": "not_found"}
SYSTEM = ("default", "kube-system", "kube-public", "kube-node-lease")
SIZE = {"cpu": "2", "ephemeral-storage": "264212084Ki", "memory": "24684096Ki", "pods": "110"}
HEALTH = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)


def make_cluster(
    manifest: Mapping[str, Json], namespace: str, nodes: Sequence[str], seed: int, start: int = START
) -> World:
    """A running cluster with an empty namespace, at time 0 of the scenario, which is `start` (ms) by the clock."""
    images = {name: image(entry) for name, entry in (manifest.get("images") or {}).items()}
    blueprint = Blueprint(app="recorded", namespace=namespace, variant=0, start=start - SETTLED, images=images)
    world = World(blueprint, make_dynamics(run_utility), seed)
    for number, name in enumerate(nodes, 1):
        kube_api.create(world, "nodes", _node(world, name, number))
    for name in (*SYSTEM, namespace):
        if world.store.get("namespaces", "", name) is None:
            kube_api.create(world, "namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    world.run(SETTLED)
    return world


def image(entry: Mapping[str, Json] | str | None) -> Image:
    """An image as the manifest's table describes it.

    `pull`: how a pull ends; `serves`: port and status by path of what it runs without a command, a first process that
    takes no notice of SIGTERM; `shell`: whether it has `/bin/sh`.
    """
    entry = entry if isinstance(entry, Mapping) else {"pull": entry or "present"}
    ending = str(entry.get("pull", "present"))
    serves = entry.get("serves") or {}
    params: dict[str, Json] = {"deaf": True}
    if serves.get("port"):
        params["ports"] = [int(serves["port"])]
        params["http"] = {path: [status, ""] for path, status in (serves.get("paths") or {}).items()}
        params["otherwise"] = int(serves.get("otherwise", 404))
    runs = bool(serves) or not entry.get("shell", False)
    return Image(
        cached=ending == "present",
        pull=PULLS.get(ending, ending),
        entrypoint=("/server",) if runs else (),
        cmd=() if runs else ("sh",),
        binaries={"server": Binary(program="idle", params=params)} if runs else {},
        files={"/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n"},
        shell=bool(entry.get("shell", False)),
    )


def _node(world: World, name: str, number: int) -> dict[str, Json]:
    labels = {"kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
    conditions = [
        {
            "lastHeartbeatTime": world.timestamp,
            "lastTransitionTime": world.timestamp,
            "message": message,
            "reason": reason,
            "status": status,
            "type": type_,
        }
        for type_, status, reason, message in HEALTH
    ]
    addresses = [{"address": f"10.99.0.{number}", "type": "InternalIP"}, {"address": name, "type": "Hostname"}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"podCIDR": f"10.244.{number}.0/24", "podCIDRs": [f"10.244.{number}.0/24"]},
        "status": {"addresses": addresses, "allocatable": SIZE, "capacity": SIZE, "conditions": conditions},
    }
