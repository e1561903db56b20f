"""Lifecycle hooks: what a container does right after its start, and before it is asked to end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.objects import Obj, get, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.container import Container, is_running
from aiops_gym.sim.machine.scripts import inside
from aiops_gym.sim.network import routes
from aiops_gym.types import Json

EXEC_MS = 310
"""What it takes to begin a command in a container; its first process is well under way by then."""

CONNECT_TIMEOUT = 30 * SECOND


class Ran(NamedTuple):
    """How a hook ended: after how many ms (-1: never), and what went wrong, "" if nothing."""

    ms: int
    problem: str


def run(world: World, pod: Obj, spec: Mapping[str, Json], when: str, ip: str) -> Ran:
    """Run the hook `postStart` or `preStop` of a container. What it does is done at once; it ends later."""
    handler = get(spec, "lifecycle", when, default={})
    if "exec" in handler:
        return _command(world, pod, spec, list(handler["exec"].get("command") or ()))
    if "sleep" in handler:
        return Ran(int(handler["sleep"]["seconds"]) * SECOND, "")
    if "httpGet" in handler:
        return _request(world, pod, spec, handler["httpGet"], ip)
    return Ran(0, "")


def has_hook(spec: Mapping[str, Json], when: str) -> bool:
    """Whether a container has that hook."""
    return bool(get(spec, "lifecycle", when))


def _command(world: World, pod: Obj, spec: Mapping[str, Json], argv: list[str]) -> Ran:
    key = f"{uid_of(pod)}/{spec['name']}"
    head = f'Exec lifecycle hook ([{" ".join(argv)}]) for Container "{spec["name"]}" in Pod "{full(pod)}" failed'
    if not is_running(world, key):
        return Ran(EXEC_MS, f'{head} - error: container is not running, message: ""')
    ran = inside.run(Container(world, key), argv)
    if ran.absent:
        error = describe_unable(world, key, ran.text)
        return Ran(EXEC_MS, f'{head} - error: {error}, message: ""')
    if ran.code and ran.ms >= 0:
        error = f"command '{' '.join(argv)}' exited with {ran.code}: {ran.errors}"
        return Ran(ran.ms + EXEC_MS, f"{head} - error: {error}, message: {_quoted(ran.output + ran.errors)}")
    return Ran(ran.ms + EXEC_MS if ran.ms >= 0 else -1, "")


def describe_unable(world: World, key: str, why: str) -> str:
    """What the runtime says of a command that it could not begin; each try has an id of its own."""
    id_ = draws.hexes(64, world.seed, "exec", key, world.count("exec"))
    return f'rpc error: code = Unknown desc = failed to exec in container: failed to start exec "{id_}": {why}'


def _request(world: World, pod: Obj, spec: Mapping[str, Json], action: Mapping[str, Json], ip: str) -> Ran:
    """Any answer will do; only a connection that fails is a failure."""
    port = action["port"]
    named = {p.get("name"): p["containerPort"] for p in spec.get("ports") or ()}
    number = int(port) if is_natural(str(port)) else int(named.get(port, 0))
    host = action.get("host") or ip
    route = routes.dial(world, None, namespace_of(pod), host, number)
    if route.outcome == "ok":
        return Ran(20, "")
    url = f"{action.get('scheme', 'HTTP').lower()}://{host}:{number}/{action.get('path', '').lstrip('/')}"
    why = "connect: connection refused" if route.outcome == "refused" else "i/o timeout"
    error = f'Get "{url}": dial tcp {host}:{number}: {why}'
    head = f'HTTP lifecycle hook ({action.get("path", "")}) for Container "{spec["name"]}" in Pod "{full(pod)}" failed'
    return Ran(20 if route.outcome == "refused" else CONNECT_TIMEOUT, f"{head} - error: {error}")


def full(pod: Obj) -> str:
    """A pod as the kubelet writes it."""
    return f"{name_of(pod)}_{namespace_of(pod)}({uid_of(pod)})"


def _quoted(text: str) -> str:
    """A text as Go's `%q` writes it."""
    for sign, written in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        text = text.replace(sign, written)
    return f'"{text}"'
