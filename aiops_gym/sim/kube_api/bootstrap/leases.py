"""Who of the control plane leads: a lease each, renewed as long as its program runs.

Nothing is written at a renewal: the time of the last one follows from the clock, as with the heartbeats of nodes.
"""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Iterator, Mapping
from hashlib import sha256

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, assoc, get, name_of
from aiops_gym.sim.kernel.times import SECOND, iso_micro, millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

SPACE = "kube-system"
LEADERS = ("kube-controller-manager", "kube-scheduler")
SERVER = "kube-apiserver"
RETRY, IDENTITY_RENEWAL = 2 * SECOND, 10 * SECOND
"""What a leader waits between two renewals (`--leader-elect-retry-period`), and an API server."""

IDENTITY = "apiserver.kubernetes.io/identity"


def list_all(world: World, host: str) -> Iterator[Json]:
    """The leases of a control plane on a node."""
    now = iso_micro(world.now, draws.pick(1000, world.seed, "lease", host))
    for name in LEADERS:
        spec: Json = {"acquireTime": now, "leaseDurationSeconds": 15, "leaseTransitions": 0, "renewTime": now}
        yield _lease(name, {**spec, "holderIdentity": f"{host}_{draws.uuid(world.seed, 'holder', name)}"})
    name = f"apiserver-{b32encode(sha256(host.encode()).digest()[:16]).decode().rstrip('=').lower()}"
    spec = {"holderIdentity": f"{name}_{draws.uuid(world.seed, 'holder', SERVER)}", "leaseDurationSeconds": 3600}
    yield _lease(name, {**spec, "renewTime": now}, {IDENTITY: SERVER, "kubernetes.io/hostname": host})


def _lease(name: str, spec: Json, labels: Json | None = None) -> Json:
    meta = {"name": name, "namespace": SPACE, **({"labels": labels} if labels else {})}
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta, "spec": spec}


def refresh(world: World, lease: Obj) -> Obj:
    """A lease of the control plane as a reader sees it now; any other one as it is."""
    program, host, period = _find_holder(lease)
    renewed = get(lease, "spec", "renewTime")
    if not program or not renewed:
        return lease
    offset = draws.pick(period, world.seed, "renewal", program)
    last = _find_end(world.store.get("pods", SPACE, f"{program}-{host}"), world.now)
    last -= (last - offset) % period
    if last <= millis(renewed):
        return lease
    seen: Obj = assoc(lease, ("spec", "renewTime"), iso_micro(last, last % 997))
    return seen


def _find_holder(lease: Obj) -> tuple[str, str, int]:
    """The program that holds a lease and its node, and how often (ms) it renews it; "" for a program of others."""
    name, holder = name_of(lease), str(get(lease, "spec", "holderIdentity", default=""))
    if name in LEADERS:
        return name, holder.rpartition("_")[0], RETRY
    labels: Mapping[str, str] = get(lease, "metadata", "labels", default={})
    if labels.get(IDENTITY) == SERVER:
        return SERVER, labels.get("kubernetes.io/hostname", ""), IDENTITY_RENEWAL
    return "", "", 0


def _find_end(pod: Obj | None, now: int) -> int:
    """Until when (ms) the program of a pod has run; what its kubelet does not show runs on."""
    states = [each.get("state") or {} for each in get(pod or Obj(), "status", "containerStatuses", default=())]
    ends = [get(each, "terminated", "finishedAt") for each in states]
    return min((millis(each) for each in ends if each), default=now)
