"""Termination messages: what a container leaves behind in a file, or the end of its log."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.mounts import find_container_spec
from aiops_gym.sim.machine.scripts.files import Files
from aiops_gym.types import Json

PATH = "/dev/termination-log"
LONGEST = 4096
"""Bytes of a termination message (`MaxContainerTerminationMessageLength`)."""

LOG_LINES, LOG_BYTES = 80, 2048
"""What is taken of a log that stands in for one (`FallbackToLogsOnError`)."""


def read_message(world: World, uid: str, name: str, exit_: Mapping[str, Json]) -> str:
    """The message of a container that has just ended, "" if it left none."""
    key = f"{uid}/{name}"
    process = world.table("processes").get(key)
    if process is None or process["id"] != exit_["id"]:
        return ""
    c = Container(world, key)
    if c.pod is None:
        return ""
    spec = find_container_spec(c.pod, name)
    text = ""
    if world.table("scratch").get(key, {}).get("process") == process["id"] or spec.get("volumeMounts"):
        text = Files(c).read(str(spec.get("terminationMessagePath") or PATH)) or ""
    if text:
        return text[:LONGEST]
    if spec.get("terminationMessagePolicy") == "FallbackToLogsOnError" and exit_["code"]:
        lines = [f"{line}\n" for _, line in process["log"][-LOG_LINES:]]
        return "".join(lines).encode()[-LOG_BYTES:].decode(errors="ignore")
    return ""
