"""What is in a cluster before anybody asks for anything: the API server and its managers write it as they start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, key_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.bootstrap import leases, policy, servers
from aiops_gym.sim.kube_api.kind import Draft
from aiops_gym.sim.kube_api.kinds import kind_of
from aiops_gym.sim.kube_api.resources import find_by_kind
from aiops_gym.types import Json


def begin(world: World, host: str, certificate: str) -> None:
    """Write what a control plane has written by the time at which it first answers; the first namespaces are there.

    Args:
        world: with no object of these yet.
        host: the node on which the control plane runs.
        certificate: of the cluster's own authority, as text.
    """
    for body in _list_all(world, host, certificate):
        plant(world, body)


def _list_all(world: World, host: str, certificate: str) -> Iterator[Json]:
    yield from policy.list_all()
    yield from servers.list_all(certificate, world.timestamp[:10])
    yield from leases.list_all(world, host)
    for name in policy.list_accounts():
        meta = {"name": name, "namespace": "kube-system"}
        yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta}


def plant(world: World, body: Mapping[str, Json]) -> Obj:
    """Write an object of a cluster's own equipment, which nobody asks any questions about.

    Its uid follows from its name alone, so that what a cluster is equipped with has no say in what comes after it.
    """
    resource = find_by_kind(body["apiVersion"], body["kind"])
    assert resource is not None, body
    kind = kind_of(resource.name)
    draft: Draft = {**body, "metadata": dict(body["metadata"])}
    kind.default(draft)
    meta = draft["metadata"]
    meta["uid"] = draws.uuid(world.seed, "uid", f"{resource.name} {key_of(draft)}")
    meta["creationTimestamp"] = world.timestamp
    if kind.generation:
        meta["generation"] = 1
    return world.store.put(resource.name, draft)
