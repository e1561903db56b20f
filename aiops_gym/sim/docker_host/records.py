"""What the daemon keeps: table `docker`, a row for each container, network, image and project, and the last events.

A container's row: `id`, `name`, `image`, `project`, `service`, `args` (its command), `stop_signal`, `restart`
(policy), `cpus` (0: no limit), `ports` (container port -> host port), `network`, `ip`, `created`, `started` and
`finished` (ms, 0: never), `env` (beside the image's), `status` (created, running, restarting, exited), `code`, `run`
(number of the last start), `asked` (what somebody asked for that is not done yet: stop, restart, kill, remove), `tries`
(restarts by its policy) and `backoff` (ms before the last of them); from Compose `hash` (of its definition), `file` (in
which that stands) and `depends_on` (services that are started first).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.images import identify
from aiops_gym.types import Json

TABLE: Final = "docker"
STEM: Final = "com.docker.compose"
"""What the labels of Compose begin with."""

COMPOSE: Final = "2.32.4"
"""Version of Compose."""

SHORT: Final = 12
"""Digits of an id that are shown, and of a host name."""

MOST_EVENTS: Final = 256
"""Events that the daemon remembers."""

HOST: Final = "docker-host"
"""Name of the machine."""

BRIDGE: Final = "bridge"
"""The network of containers that name none: there they do not know each other's names."""

Row = Mapping[str, Json]


class DockerError(Exception):
    """What the daemon refuses; the text is its own.

    Attributes:
        code: HTTP status.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def list_rows(world: World, kind: str) -> Iterator[Row]:
    """Rows of a kind (`container`, `image`, `network`, `project`) in the order in which they were made."""
    table = world.tables.get(TABLE, {})
    return (row for key, row in table.items() if key.startswith(f"{kind}/"))


def find(world: World, name: str) -> Row:
    """A container by name or by the beginning of its id. Raises DockerError."""
    word = name.removeprefix("/")
    found = [row for row in list_rows(world, "container") if row["name"] == word or row["id"] == word]
    found = found or [row for row in list_rows(world, "container") if word and row["id"].startswith(word)]
    if len(found) == 1:
        return found[0]
    if found:
        raise DockerError(400, f"multiple IDs found with provided prefix: {word}")
    raise DockerError(404, f"No such container: {name}")


def find_network(world: World, name: str) -> Row:
    """A network by name or by the beginning of its id. Raises DockerError."""
    for row in list_rows(world, "network"):
        if row["name"] == name or (name and row["id"].startswith(name)):
            return row
    raise DockerError(404, f"network {name} not found")


def put(world: World, kind: str, row: Row) -> Row:
    """Write a row; containers and networks are keyed by id, images and projects by name."""
    world.table(TABLE)[f"{kind}/{row.get('id') or row['name']}"] = row
    return row


def change(world: World, row: Row, **fields: Json) -> Row:
    """Replace fields of a container's row."""
    return put(world, "container", {**row, **fields})


def make_id(world: World, kind: str, name: str) -> str:
    """64 hexadecimal digits for something that is made now."""
    return draws.hexes(64, world.seed, f"docker {kind}", name, world.now)


def key_of(row: Row) -> str:
    """The key of a container's process."""
    return f"{row['id']}/{row['name']}"


def digest_of(world: World, image: str) -> str:
    """The id of an image."""
    return f"sha256:{identify(world, image).rpartition(':')[2]}"


def tag_of(name: str) -> str:
    """An image's name with its tag."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def labels_of(world: World, row: Row) -> dict[str, str]:
    """Labels of a container: those that Compose gives."""
    if not row["project"]:
        return {}
    project = world.tables.get(TABLE, {}).get(f"project/{row['project']}", {})
    file = row.get("file") or f"{project.get('folder', '')}/compose.yml"
    found = {"config-hash": row.get("hash", ""), "container-number": "1", "image": digest_of(world, row["image"])}
    found["depends_on"] = ",".join(f"{name}:service_started:false" for name in row.get("depends_on", ()))
    found |= {"oneoff": "False", "project": row["project"], "project.config_files": file}
    found |= {"project.working_dir": file.rpartition("/")[0], "service": row["service"], "version": COMPOSE}
    return {f"{STEM}.{name}": value for name, value in sorted(found.items())}


def note(world: World, kind: str, action: str, identity: str, attributes: Mapping[str, str]) -> None:
    """Remember that something happened."""
    event: Json = {"time": world.now, "type": kind, "action": action, "id": identity, "attributes": dict(attributes)}
    table = world.table(TABLE)
    kept = list(table.get("events", ()))
    count = kept[-1]["number"] + 1 if kept else 0
    table["events"] = [*kept, {**event, "number": count}][-MOST_EVENTS:]


def note_container(world: World, row: Row, action: str, **more: str) -> None:
    """Remember what happened to a container."""
    attributes = {**labels_of(world, row), **more, "image": row["image"], "name": row["name"]}
    note(world, "container", action, row["id"], dict(sorted(attributes.items())))


def note_network(world: World, row: Row, action: str) -> None:
    """Remember that a container joined its network or left it."""
    network = find_network(world, row["network"])
    attributes = {"container": row["id"], "name": network["name"], "type": "bridge"}
    note(world, "network", action, network["id"], attributes)


def list_events(world: World) -> list[Row]:
    """What happened lately, oldest first."""
    return list(world.tables.get(TABLE, {}).get("events", ()))
