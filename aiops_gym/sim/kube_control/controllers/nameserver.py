"""CoreDNS reads its Corefile again: half a minute after the ConfigMap has changed, as plugin `reload` has it.

What cannot be read changes nothing: the name server goes on with what it had, and says so in its log.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha512

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, get, key_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.network import corefile

PLACE = "kube-system/coredns"
PERIOD, JITTER = 30 * SECOND, 15 * SECOND
"""What `reload` waits between two looks, unless it is told otherwise."""


class NameServer:
    """Has the settings read some time after they were written."""

    name = "nameserver"
    watches = ("configmaps",)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The ConfigMap with the Corefile, where that changed."""
        if new is not None and key_of(new) == PLACE and (old is None or old.get("data") != new.get("data")):
            yield PLACE

    def reconcile(self, world: World, key: str) -> None:
        """Plan the next look; a name server that is not there yet will begin with what it finds."""
        if not _list_running(world):
            reload(world)
            return
        wait = PERIOD + draws.pick(JITTER, world.seed, "reload", key, world.now)
        world.schedule(wait, "nameserver.reload")


def reload(world: World) -> None:
    """Read the Corefile, and answer by it from now on."""
    found = world.store.by_key("configmaps", PLACE)
    text = str(get(found or Obj(), "data", "Corefile", default=""))
    try:
        rules = corefile.read(text)
    except corefile.CorefileError as error:
        _say(world, "[INFO] Reloading", f"[ERROR] Restart failed: {error}", f"[ERROR] plugin/reload: {error}")
        return
    digest = sha512(text.encode()).hexdigest()
    _say(world, "[INFO] Reloading", f"[INFO] plugin/reload: Running configuration SHA512 = {digest}",
         "[INFO] Reloading complete")  # fmt: skip
    table = world.table(corefile.TABLE)
    if rules:
        table["rules"] = rules
    else:
        table.pop("rules", None)
    world.touch()


def _say(world: World, *lines: str) -> None:
    for key in _list_running(world):
        Container(world, key).log(*lines)


def _list_running(world: World) -> list[str]:
    processes = world.table("processes").items()
    return [key for key, row in processes if row["running"] and row["container"] == "coredns"]


controller = NameServer()
HANDLERS: dict[str, Handler] = {"nameserver.reload": reload}
