"""The life of a container: it starts, is asked to end, ends, perhaps starts again, and is removed.

What is asked for takes its time: `stop` and `restart` send the container's signal and plan a SIGKILL, and what follows
is done when the process has ended. A client that waits asks until the row says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.docker_host import records
from aiops_gym.sim.docker_host.records import DockerError, Row, key_of
from aiops_gym.sim.docker_host.views import GIVEN
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.machine import program, runtime
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.images import find_image
from aiops_gym.sim.network.names import NEIGHBOURS
from aiops_gym.types import Json

GRACE = 10
"""Seconds from the first signal of `stop` to SIGKILL."""

SIGNALS: Mapping[str, int] = {"HUP": 1, "INT": 2, "QUIT": 3, "KILL": 9, "USR1": 10, "USR2": 12, "TERM": 15}
MOST_RUNS = 20
"""Earlier runs of a container whose logs are kept."""

FIRST_BACKOFF, LONGEST_BACKOFF, STEADY = 100, 60_000, 10_000
"""Milliseconds: of the first pause of a restart policy, of the longest, and after which a run counts as a good one."""


EXITED, DEADLINE, AGAIN = "docker.exited", "docker.deadline", "docker.again"


def create(world: World, given: Mapping[str, Any]) -> Row:
    """Make a container; `given` says what differs from a plain one. It does not run yet."""
    taken = next((row for row in records.list_rows(world, "container") if row["name"] == given["name"]), None)
    if taken is not None:
        why = f'Conflict. The container name "/{given["name"]}" is already in use by container "{taken["id"]}".'
        raise DockerError(409, f"{why} You have to remove (or rename) that container to be able to reuse that name.")
    own = {"created": world.now, "id": records.make_id(world, "container", given["name"])}
    row = {**GIVEN["Row"], **given, **own}
    records.put(world, "image", {"name": records.tag_of(row["image"])})
    records.put(world, "container", row)
    records.note_container(world, row, "create")
    return row


def start(world: World, row: Row) -> Row:
    """Start a container that does not run. Raises DockerError where its image has no such command."""
    if row["status"] == "running":
        return row
    image = find_image(world, row["image"])
    if image is None:
        raise DockerError(404, f"No such image: {row['image']}")
    host = row["id"][: records.SHORT]
    env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", **image.env}
    env |= {**row.get("env", {}), "HOSTNAME": host}
    told = {"name": row["name"], "image": row["image"], "args": row["args"]}
    command = runtime.resolve(image, told, env)
    if isinstance(command, runtime.StartError):
        raise DockerError(400, command.message.replace("containerd task", "task for container", 1))
    ip = _free_address(world, row)
    row = records.change(world, row, status="running", ip=ip, started=world.now, run=row["run"] + 1, asked="")
    about = {"namespace": "", "name": host, "uid": row["id"]}
    pod: Any = {"metadata": about, "spec": {"nodeName": records.HOST}, "status": {"podIP": ip}}
    _begin(world, row, runtime.make_row(world, pod, told, command, env, row["run"]))
    records.note_network(world, row, "connect")
    records.note_container(world, row, "start")
    program.find(world, command.binary.program).start(Container(world, key_of(row)))
    return row


def _begin(world: World, row: Row, process: Process) -> None:
    """Put the process into its place; the one before is kept for its log, and its files are the new one's."""
    key, processes = key_of(row), world.table("processes")
    before = processes.pop(key, None)
    if before is not None:
        world.table("previous")[f"{key}/{row['run'] - 1}"] = before
        world.table("previous").pop(f"{key}/{row['run'] - 1 - MOST_RUNS}", None)
        kept, volumes = world.table("scratch").get(key), world.table("volumes")
        if kept is not None:
            world.table("scratch")[key] = {**kept, "process": process["id"]}
        layer = f"layer/{before['id']}"
        for name in [name for name in volumes if name.startswith(layer)]:
            volumes[f"layer/{process['id']}{name.removeprefix(layer)}"] = volumes.pop(name)
    world.table("shells").pop(key, None)
    processes[key] = {**process, "told": EXITED}
    _introduce(world)
    world.touch()


def _free_address(world: World, row: Row) -> str:
    """The lowest address of the network that no running container has."""
    network = records.find_network(world, row["network"])
    taken = {each["ip"] for each in records.list_rows(world, "container") if each["status"] == "running"}
    stem = network["subnet"].rpartition(".")[0]
    return next(f"{stem}.{n}" for n in range(2, 255) if f"{stem}.{n}" not in taken)


def _introduce(world: World) -> None:
    """Let each running container know the others in its network by name, service and id."""
    running = [row for row in records.list_rows(world, "container") if row["status"] == "running"]
    names = {
        network: {
            name: row["ip"]
            for row in running
            if row["network"] == network != records.BRIDGE
            for name in (row["name"], row["service"] or row["name"], row["id"][: records.SHORT])
        }
        for network in {row["network"] for row in running}
    }
    table = world.table(NEIGHBOURS)
    for uid in [uid for uid in table if f"container/{uid}" not in world.table(records.TABLE)]:
        del table[uid]
    for row in records.list_rows(world, "container"):
        table[row["id"]] = dict(sorted(names.get(row["network"], {}).items())) if row["status"] == "running" else {}


def stop(world: World, row: Row, seconds: int = GRACE, then: str = "stop") -> None:
    """Ask a running container to end, and plan to kill it; `then` is what is done once it has."""
    if row["status"] == "restarting":
        row = records.change(world, row, status="exited")
    if row["status"] != "running":
        if then == "restart":
            records.note_container(world, start(world, row), "restart")
        return
    row = records.change(world, row, asked=then)
    _send(world, row, row["stop_signal"])
    world.schedule(1000 * max(0, seconds), DEADLINE, row["id"], row["run"])


def read_signal(text: str) -> str:
    """The name of a signal, `TERM`, from its name or number. Raises DockerError."""
    word = text.upper().removeprefix("SIG")
    for name, number in SIGNALS.items():
        if word in (name, str(number)):
            return name
    raise DockerError(400, f"invalid signal: {text}")


def kill(world: World, row: Row, signal: str) -> None:
    """Send a signal. Raises DockerError for a container that does not run, and for a signal that there is none of."""
    if row["status"] != "running":
        raise DockerError(409, f"cannot kill container: {row['name']}: container {row['id']} is not running")
    name = read_signal(signal)
    if name in ("KILL", row["stop_signal"]):  # its restart policy must not bring back what somebody ended
        row = records.change(world, row, asked="kill")
    _send(world, row, name)


def _send(world: World, row: Row, name: str) -> None:
    records.note_container(world, row, "kill", signal=str(SIGNALS[name]))
    key, meant = key_of(row), "TERM" if name == row["stop_signal"] else name
    if meant in ("KILL", "TERM"):
        runtime.signal(world, key, meant)
    elif meant in ("INT", "QUIT", "HUP"):  # programs here have one way to end, and a container names its own signal
        runtime.signal(world, key, "TERM")


def remove(world: World, row: Row, *, force: bool) -> None:
    """Remove a container. Raises DockerError for one that runs, unless it is killed first."""
    if row["status"] in ("running", "restarting") and not force:
        why = f"container is {row['status']}: stop the container before removing or force remove"
        raise DockerError(409, f'cannot remove container "/{row["name"]}": {why}')
    if row["status"] == "running":
        row = records.change(world, row, asked="remove")
        _send(world, row, "KILL")
        _ended(world, row, world.table("processes")[key_of(row)]["exit"] or {"code": 137})
        row = records.find(world, row["id"])
    runtime.forget(world, row["id"])
    world.table("scratch").pop(key_of(row), None)
    records.note_container(world, row, "destroy")
    world.table(records.TABLE).pop(f"container/{row['id']}", None)
    _introduce(world)


def _exited(world: World, pod: str, uid: str, name: str, exit_: Mapping[str, Json]) -> None:
    """The process of a container has ended, says the runtime."""
    row = world.table(records.TABLE).get(f"container/{uid}")
    if row is None or row["status"] != "running":
        return
    process = world.table("processes").get(key_of(row))
    if process is None or process["id"] != exit_["id"]:
        return
    _ended(world, row, exit_)


def _ended(world: World, row: Row, exit_: Mapping[str, Json]) -> None:
    asked, code, policy = row["asked"], int(exit_["code"]), row["restart"]
    row = records.change(world, row, status="exited", code=code, finished=world.now, asked="", ip="")
    _introduce(world)
    records.note_container(world, row, "die", exitCode=str(code))
    records.note_network(world, row, "disconnect")
    if asked in ("stop", "restart"):
        records.note_container(world, row, "stop")
    if asked == "restart":
        records.note_container(world, start(world, row), "restart")
    elif not asked and (policy in ("always", "unless-stopped") or (policy == "on-failure" and code)):
        steady = world.now - row["started"] >= STEADY
        pause = FIRST_BACKOFF if steady or not row["backoff"] else min(LONGEST_BACKOFF, 2 * row["backoff"])
        records.change(world, row, status="restarting", tries=row["tries"] + 1, backoff=pause)
        world.schedule(pause, AGAIN, row["id"], row["run"])


def _deadline(world: World, identity: str, run: int) -> None:
    """The time that `stop` gives is over."""
    row = world.table(records.TABLE).get(f"container/{identity}")
    if row is not None and row["status"] == "running" and row["run"] == run and row["asked"] in ("stop", "restart"):
        _send(world, row, "KILL")


def _again(world: World, identity: str, run: int) -> None:
    """A restart policy starts a container again."""
    row = world.table(records.TABLE).get(f"container/{identity}")
    if row is not None and row["status"] == "restarting" and row["run"] == run:
        start(world, row)


HANDLERS: dict[str, Handler] = {EXITED: _exited, DEADLINE: _deadline, AGAIN: _again}
