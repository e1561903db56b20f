"""Compose projects: services that become containers, and visitors who call a published port again and again.

A project is data: `name`, `folder` (of its file on the host), `subnet`, `services` (`name`, `image`, `args`, `ports`,
`stop_signal`, `restart`, `cpus`) and `visits` (`port`, `path`, `body`, `unless`: a path whose answer says what goes on
so that there is no need now; `every` and `first`, in seconds).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.sim.docker_host import lifecycle, records
from aiops_gym.sim.docker_host.records import DockerError, Row
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.machine.program import program_of

VISIT = "docker.visit"
PATIENCE = 600_000
"""Milliseconds after which a visitor thinks that what goes on does not go on any more."""


def install(world: World, project: Mapping[str, Any]) -> None:
    """Put a project on the host, start its containers, and let its visitors come."""
    records.put(world, "project", project)
    made = {"name": records.BRIDGE, "driver": "bridge", "subnet": "172.17.0.0", "project": "", "created": world.now}
    records.put(world, "network", {**made, "id": records.make_id(world, "network", records.BRIDGE)})
    bring_up(world, project, ())
    for number, visit in enumerate(project.get("visits", ())):
        world.schedule(1000 * int(visit["first"]), VISIT, project["name"], number)


def find_project(world: World, name: str) -> Row:
    """A project by name. Raises DockerError."""
    for row in records.list_rows(world, "project"):
        if row["name"] == name:
            return row
    raise DockerError(404, f"no such project: {name}")


def bring_up(world: World, project: Row, services: Sequence[str]) -> list[tuple[str, str]]:
    """Make what is missing of a project (of some services, or of all) and start what does not run.

    Returns:
        (kind and name, what became of it), in order: `Created`, `Started` or `Running`.
    """
    told, network = list[tuple[str, str]](), f"{project['name']}_default"
    if all(row["name"] != network for row in records.list_rows(world, "network")):
        made = {"name": network, "driver": "bridge", "subnet": project["subnet"], "project": project["name"]}
        made |= {"created": world.now, "id": records.make_id(world, "network", network)}
        records.put(world, "network", made)
        records.note(world, "network", "create", made["id"], {"name": network, "type": "bridge"})
        told.append((f"Network {network}", "Created"))
    for service in (each for each in project["services"] if not services or each["name"] in services):
        row = next((r for r in records.list_rows(world, "container") if r["name"] == service["name"]), None)
        if row is None:
            more = {"service": service["name"], "project": project["name"], "network": network}
            row = lifecycle.create(world, {**service, **more})
        told.append((f"Container {row['name']}", "Running" if row["status"] == "running" else "Started"))
        lifecycle.start(world, row)
    return told


def _visit(world: World, name: str, number: int) -> None:
    """Somebody on the host calls a published port, if there is need, and comes again."""
    project = find_project(world, name)
    visit = project["visits"][number]
    key = find_published(world, int(visit["port"]))
    if key:
        row = world.table("processes")[key]
        found = program_of(world, row)
        if not _is_busy(world, f"visit/{name}/{number}", found.http(world, row, visit["unless"])[1]):
            found.post(world, row, visit["path"], visit["body"])
    late = draws.between(0.85, 1.15, world.seed, "docker visit", f"{name} {number}", world.now)
    world.schedule(int(1000 * float(visit["every"]) * late), VISIT, name, number)


def is_idle(world: World, project: Row) -> bool:
    """Whether none of those who visit a project would find something going on."""
    for visit in project["visits"]:
        row = world.table("processes").get(find_published(world, int(visit["port"])))
        if row is None or program_of(world, row).http(world, row, visit["unless"])[1]:
            return False
    return True


def _is_busy(world: World, key: str, told: str) -> bool:
    """Whether there is no need for a visit: what goes on goes on, and has not done so for too long."""
    table = world.table(records.TABLE)
    before = table.get(key) or {"told": "", "since": 0}
    if told != before["told"]:
        table[key] = {"told": told, "since": world.now}
        return bool(told)
    return bool(told) and world.now - before["since"] < PATIENCE


def find_published(world: World, port: int) -> str:
    """The key of the process that a port of the host leads to, "" where nobody listens there."""
    for row in records.list_rows(world, "container"):
        for inner, outer in row["ports"].items():
            process = world.table("processes").get(records.key_of(row))
            if int(outer) == port and process is not None and process["running"] and int(inner) in process["ports"]:
                return records.key_of(row)
    return ""


HANDLERS: dict[str, Handler] = {VISIT: _visit}
