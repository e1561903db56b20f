"""Compose projects: services that become containers, and visitors who call a published port again and again.

A project is data: `name`, `folder` (of its file on the host), `subnet`, `services` (`name`, `image`, `args`, `ports`,
`stop_signal`, `restart`, `cpus`, and where they differ `container`, `env`, `depends_on`) and `visits` (`port`, `path`,
`body`, `unless`: a path whose answer says what goes on so that there is no need now; `every` and `first`, in seconds).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from aiops_gym.sim.docker_host import lifecycle, records
from aiops_gym.sim.docker_host.records import DockerError, Row
from aiops_gym.sim.docker_host.views import GIVEN
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.machine.program import program_of

VISIT = "docker.visit"
HASHED = ("args", "env", "restart", "stop_signal", "ports", "cpus")
"""What of a service belongs to its definition, beside the image."""

PATIENCE = 600_000
"""Milliseconds after which a visitor thinks that what goes on does not go on any more."""


def install(world: World, project: Mapping[str, Any]) -> None:
    """Put a project on the host, start its containers, and let its visitors come."""
    records.put(world, "project", project)
    made = {"name": records.BRIDGE, "driver": "bridge", "subnet": "172.17.0.0", "project": "", "created": world.now}
    records.put(world, "network", {**made, "id": records.make_id(world, "network", records.BRIDGE)})
    bring_up(world, project)
    for number, visit in enumerate(project.get("visits", ())):
        world.schedule(1000 * int(visit["first"]), VISIT, project["name"], number)


def hash_service(service: Mapping[str, Any]) -> str:
    """What changes whenever the definition of a service does, and with it needs another container."""
    told = {name: service.get(name, GIVEN["Row"][name]) for name in HASHED} | {"image": service["image"]}
    return sha256(json.dumps({**told, "cpus": float(told["cpus"])}, sort_keys=True).encode()).hexdigest()


def check(service: Mapping[str, Any]) -> None:
    """Refuse a service that nothing can be made of. Raises DockerError."""
    lifecycle.read_signal(service["stop_signal"])
    if service["restart"] not in ("no", "always", "unless-stopped", "on-failure"):
        why = "use one of 'no', 'always', 'on-failure', or 'unless-stopped'"
        raise DockerError(400, f"invalid restart policy: unknown policy '{service['restart']}'; {why}")


def make(world: World, project: str, service: Mapping[str, Any]) -> Row:
    """Make the container of a service, which does not run yet. Raises DockerError."""
    more = {"service": service["name"], "project": project, "network": f"{project}_default"}
    more |= {"name": service.get("container") or service["name"], "hash": hash_service(service)}
    return lifecycle.create(world, {**service, **more})


def make_network(world: World, project: str, subnet: str = "") -> None:
    """Make the network of a project where there is none, in the first subnet that is free."""
    name, rows = f"{project}_default", list(records.list_rows(world, "network"))
    if any(row["name"] == name for row in rows):
        return
    taken = [row["subnet"] for row in rows]
    subnet = subnet or next(s for n in range(18, 32) if (s := f"172.{n}.0.0") not in taken)
    made = {"name": name, "driver": "bridge", "subnet": subnet, "project": project, "created": world.now}
    row = records.put(world, "network", {**made, "id": records.make_id(world, "network", name)})
    records.note(world, "network", "create", row["id"], {"name": name, "type": "bridge"})


def remove_network(world: World, row: Row) -> None:
    """Take a network away. Raises DockerError while containers are in it."""
    running = (each for each in records.list_rows(world, "container") if each["status"] == "running")
    if any(each["network"] == row["name"] for each in running):
        why = f"network {row['name']} id {row['id']} has active endpoints"
        raise DockerError(403, f"error while removing network: {why}")
    world.table(records.TABLE).pop(f"network/{row['id']}", None)
    records.note(world, "network", "destroy", row["id"], {"name": row["name"], "type": "bridge"})


def bring_up(world: World, project: Row) -> None:
    """Make what is missing of a project and start what does not run."""
    make_network(world, project["name"], project["subnet"])
    rows = {row["name"]: row for row in records.list_rows(world, "container")}
    for service in project["services"]:
        lifecycle.start(world, rows.get(service["name"]) or make(world, project["name"], service))


def _visit(world: World, name: str, number: int) -> None:
    """Somebody on the host calls a published port, if there is need, and comes again."""
    project = world.table(records.TABLE)[f"project/{name}"]
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
