"""Alertmanager: has the alerts that Prometheus sends it, by groups; see `alertmanager_api`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.alerts.board import Alert
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program
from aiops_gym.sim.promql.errors import QueryError
from aiops_gym.sim.software import alertmanager_api
from aiops_gym.sim.software.prometheus_api.loading import open_rules

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

PORT = 9093
CONFIG = "/etc/alertmanager/alertmanager.yml"


class Alertmanager(Program):
    """Ready at once."""

    def start(self, c: Container) -> None:
        """Open the port."""
        c.listen(PORT)

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """Next to nothing."""
        return {"cpu": 0.003, "memory": 28.0 * MIB, "threads": 9.0}

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """What a GET answers of its HTTP API, version 2."""
        config = Container(world, f"{process['uid']}/{process['container']}").read(CONFIG) or ""
        sender = _find_sender(world)
        url = "" if sender is None else f"http://{sender['pod'].rpartition('/')[2]}:9090"
        return alertmanager_api.answer(world, lambda: _list_fired(world, sender), config, process["started"], path, url)

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """A few milliseconds later; other methods than GET are for silences."""
        if method in ("GET", "HEAD"):
            return HttpAnswer(*self.http(world, process, path), seconds=0.003)
        return HttpAnswer(*alertmanager_api.change(world, method, path), seconds=0.003)

    def post(self, world: World, process: Process, path: str, body: str) -> HttpAnswer | None:
        """A silence is made of a body."""
        return HttpAnswer(*alertmanager_api.change(world, "POST", path, body), seconds=0.004)


def _find_sender(world: World) -> Process | None:
    """The Prometheus that runs."""
    rows = world.table("processes").values()
    return next((row for row in rows if row["program"] == "prometheus" and row["running"]), None)


def _list_fired(world: World, sender: Process | None) -> Sequence[Alert]:
    if sender is None:
        return []
    ruled, found = open_rules(world, sender), list[Alert]()
    for group in ruled.groups:
        for rule in group.rules:
            if rule.alerting:
                try:
                    found += [each for each in ruled.alerts(group, rule) if each.fired is not None]
                except QueryError:
                    continue
    return found


program = Alertmanager()
