"""Any daemon of which only the surface matters: ports, lines at the start, recurring lines, memory and CPU.

Params: `ports`, `log` (lines at the start), `every` (list of `{"seconds", "line"}`), `cpu` cores, `memory` bytes,
`ready_ms` (until the ports open), `http` (path -> [status, body]), `otherwise` (status of other paths), `metrics` (what
`/metrics` tells, see `sim/telemetry/targets`), `term_code`,
`tls` (HTTPS only), `silent` (speaks no HTTP), `deaf` (takes no notice of SIGTERM, as a first process without a handler
of its own).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.times import iso_micro
from aiops_gym.sim.machine.program import Program, draw_jitter, list_ticks
from aiops_gym.sim.telemetry import exposition
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World
    from aiops_gym.sim.machine.container import Container


class Idle(Program):
    """Follows its params."""

    def start(self, c: Container) -> None:
        """Write the first lines; open the ports, at once or after `ready_ms`."""
        c.log(*(_stamped(line, c.now) for line in c.params.get("log", ())))
        wait = int(c.params.get("ready_ms", 0))
        if wait:
            c.after(int(wait * c.between(0.9, 1.3, "ready")), "ready")
        else:
            super().start(c)

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """The ports open."""
        super().start(c)

    def terminate(self, c: Container) -> None:
        """End, with the exit code of its kind."""
        if c.params.get("deaf"):
            return
        c.exit_in(int(c.between(*self.term_ms, "terminate")), int(c.params.get("term_code", 0)))

    def background(self, process: Process, start: int, end: int, seed: int) -> list[tuple[int, str]]:
        """Recurring lines, each a little late now and then."""
        found = []
        for which, entry in enumerate(process["params"].get("every", ())):
            period = int(float(entry["seconds"]) * 1000)
            late = min(1_000, period // 10)
            for number, tick in list_ticks(process["started"], start - late, end, period):
                time = tick + draw_jitter(process, seed, f"every/{which}", number, late)
                if start <= time < end:
                    found.append((time, _stamped(entry["line"], time)))
        return sorted(found)

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """What the params say, or 404."""
        params = process["params"]
        if params.get("silent"):
            return 0, ""
        if path.partition("?")[0] == "/metrics" and params.get("metrics") and "otherwise" not in params:
            return 200, exposition.write_process(world, process)
        other = (params.get("otherwise", 404), "404 page not found\n")
        status, body = params.get("http", {}).get(path.partition("?")[0], other)
        return int(status), str(body)


def _stamped(line: str, ms: int) -> str:
    """The line with its time, where it asks for one: `{time}` or klog's `{klog}`."""
    if "{" not in line:
        return line
    iso = iso_micro(ms)
    return line.replace("{time}", iso).replace("{klog}", f"{iso[5:7]}{iso[8:10]} {iso[11:26]}")


program = Idle()
