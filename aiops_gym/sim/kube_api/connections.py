"""What a kubelet connects a client with: ports of a pod, and a process that reads what is typed."""

from __future__ import annotations

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import get, key_of, name_of, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import kubelet_client
from aiops_gym.sim.kube_api.read import find_object
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_api.status import bad_request, quote
from aiops_gym.sim.kube_api.subresources import list_statuses
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.container import Container
from aiops_gym.types import Request


def find_typed_into(world: World, request: Request) -> str:
    """The process of a container that waits for what somebody types, "" where none does."""
    pod = find_object(world, RESOURCES["pods"], request.namespace, request.name)
    key = f"{uid_of(pod)}/{request.query.get('container') or pod['spec']['containers'][0]['name']}"
    return key if _waits(world, key) else ""


def _waits(world: World, key: str) -> bool:
    row = world.table("processes").get(key)
    return row is not None and row["running"] and bool(row["state"].get("typed"))


def end_typing(world: World, key: str, shown: str, code: int, *, left: bool = False) -> None:
    """Nobody types any more: the shell's log has what was shown, and the shell ends.

    Args:
        left: the client is gone; then it ends only where its input is closed with the first who leaves (`stdinOnce`).
    """
    if not _waits(world, key):  # it is gone, with its pod perhaps
        return
    shell = Container(world, key)
    shell.log(*shown.replace("\r", "").splitlines())
    if not left or shell.spec().get("stdinOnce"):
        runtime.finish(world, key, code)


def find_forward_target(world: World, request: Request) -> str:
    """A process in the pod whose ports are meant, "" where none runs. Raises ApiError."""
    pod = find_object(world, RESOURCES["pods"], request.namespace, request.name)
    if not get(pod, "spec", "nodeName"):
        raise bad_request(f"pod {name_of(pod)} does not have a host assigned")
    kubelet_client.reach(world, pod, f"portForward/{key_of(pod)}")
    rows = world.table("processes")
    keys = [f"{uid_of(pod)}/{status['name']}" for status in list_statuses(pod)]
    return next((key for key in keys if key in rows and rows[key]["running"]), "")


def refuse_forward(world: World, request: Request, port: int) -> str:
    """What kubelet (`streaming/portforward`) and containerd (`sandbox_portforward_linux.go`) say: nothing listens."""
    pod = find_object(world, RESOURCES["pods"], request.namespace, request.name)
    sandbox = draws.hexes(64, world.seed, "sandbox", pod["metadata"]["uid"])
    place = f"/var/run/netns/cni-{draws.uuid(world.seed, 'netns', uid_of(pod))}"
    tried = (("IPv4:", "tcp4 127.0.0.1"), ("IPv6", "tcp6 [::1]"))
    failed = " ".join(f"{name} dial {address}:{port}: connect: connection refused" for name, address in tried)
    inner = f"failed to connect to localhost:{port} inside namespace {quote(sandbox)}, {failed} "
    where = f"failed to execute portforward in network namespace {quote(place)}"
    return f"error forwarding port {port} to pod {sandbox}, uid : {where}: {inner}"
