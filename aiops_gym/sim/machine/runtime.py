"""The container runtime: turns a container of a pod into a running process, and a process into an exit.

What runs is decided by the image's entry point, the container's command and arguments, and the executables in the
image: a command that the image does not have cannot start, whoever asked for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, NamedTuple, cast

from aiops_gym import caches
from aiops_gym.sim.kernel import draws, quantity
from aiops_gym.sim.kernel.blueprint import Binary, Image
from aiops_gym.sim.kernel.objects import Obj, get, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.tables import Exit, Process
from aiops_gym.sim.kernel.times import HOUR
from aiops_gym.sim.machine import executables, program, system_calls
from aiops_gym.sim.machine.container import Container, Parent
from aiops_gym.sim.machine.images import find_image
from aiops_gym.sim.machine.mounts import decode_data, find_container_spec, look_again, read_field
from aiops_gym.types import Json

_LINKS = caches.slot(f"{__name__}.links", "writing the environment variables of a Service")

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import Handler, World


RUNC = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
    "unable to start container process: "
)
COMMON_FILES = frozenset(
    ("/etc/passwd", "/etc/group", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc", "/tmp")
)
"""What every container has and cannot execute."""

WRAPPERS = ("docker-entrypoint.sh", "entrypoint.sh")
"""The entry point script that official images share: prepares, then becomes the program named in its arguments."""


SHELL = "sh"
"""The kind of program that runs scripts."""

TASK = "task."
"""What the names of a shell's own events begin with, which may come while a program that it started is running."""

TASK_ENDED = f"{TASK}ended"
OUT_OF_MEMORY = "OOMKilled"
"""Why all processes of a container end, and not one alone."""


class StartError(NamedTuple):
    """Why a container could not start, as it appears in its status."""

    reason: str
    message: str
    code: int = 128


class Command(NamedTuple):
    """What a container executes: its final command line, the executable, and whether the image's wrapper ran first."""

    argv: list[str]
    binary: Binary
    wrapped: bool


def start(world: World, pod: Obj, container: Mapping[str, Json], attempt: int) -> str | StartError:
    """Start a container of a pod that has a node and an IP. "" when its process runs (table `processes`)."""
    image = find_image(world, container["image"])
    if image is None:
        return StartError("CreateContainerError", f'failed to resolve image "{container["image"]}"')
    env = environment(world, pod, container, image)
    command = resolve(image, container, env)
    if isinstance(command, StartError):
        return command
    if why := system_calls.refuse_mount(world, pod):
        return StartError("StartError", f"{RUNC}error during container init: {why}")
    key = f"{uid_of(pod)}/{container['name']}"
    processes = world.table("processes")
    before = processes.get(key)
    if before is not None:
        if before["running"]:
            finish(world, key, 137, "Error", tell=False)
        world.table("previous")[key] = processes[key]
        _drop(world, f"layer/{before['id']}")
    world.table("shells").pop(key, None)
    look_again(world, uid_of(pod), container["name"])
    processes[key] = make_row(world, pod, container, command, env, attempt)
    world.touch()
    program.find(world, command.binary.program).start(Container(world, key))
    return ""


def make_row(
    world: World, pod: Obj, container: Mapping[str, Json], command: Command, env: Mapping[str, str], attempt: int = 0
) -> Process:
    """The row of a process that is about to begin."""
    return {
        "id": draws.hexes(64, world.seed, "container", f"{uid_of(pod)}/{container['name']}/{attempt}", world.now),
        "pod": key_of(pod),
        "uid": uid_of(pod),
        "container": container["name"],
        "node": get(pod, "spec", "nodeName", default=""),
        "image": container["image"],
        "argv": command.argv,
        "wrapped": command.wrapped,
        "program": command.binary.program,
        "params": command.binary.params,
        "env": env,
        "ip": get(pod, "status", "podIP", default=""),
        "attempt": attempt,
        "started": world.now,
        "ports": [],
        "state": {},
        "log": [],
        "running": True,
        "ended": 0,
        "exit": None,
    }


def signal(world: World, key: str, name: str) -> None:
    """Send `TERM` or `KILL` to a process; nothing happens if it does not run."""
    process = world.table("processes").get(key)
    if process is None or not process["running"]:
        return
    if name == "KILL":
        finish(world, key, 137, "Error")
    elif key in world.table("shells"):
        program.find(world, SHELL).terminate(Parent(world, key))
    else:
        program.program_of(world, process).terminate(Container(world, key))


def become(world: World, key: str, command: Command, env: Mapping[str, str], task: int | None) -> None:
    """A shell starts a program: in its own place, or as a child of it for which one of its tasks waits.

    The row is the program's then; what is left of the shell lies in table `shells` until the program ends.
    """
    processes = world.table("processes")
    row = processes[key]
    if task is not None:
        kept = {name: row[name] for name in ("argv", "env", "params", "state", "wrapped")}
        world.table("shells")[key] = {**kept, "task": task}
    fresh: Json = {"argv": command.argv, "wrapped": command.wrapped, "env": env, "state": {}}
    fresh |= {"program": command.binary.program, "params": command.binary.params}
    processes[key] = cast("Process", {**row, **fresh})
    world.touch()
    program.find(world, command.binary.program).start(Container(world, key))


def _return(world: World, key: str, code: int) -> None:
    """A program has ended that a shell had started: the shell goes on."""
    processes, shell = world.table("processes"), dict(world.table("shells").pop(key))
    task = shell.pop("task")
    processes[key] = cast("Process", {**processes[key], **shell, "program": SHELL, "ports": []})
    _hang_up(world, key)
    world.touch()
    program.find(world, SHELL).event(Container(world, key), TASK_ENDED, task, code)


def finish(world: World, key: str, code: int, reason: str = "", tell: bool = True) -> None:
    """End a process now, and tell whoever started it (a kubelet, mostly) unless `tell` is False."""
    processes = world.table("processes")
    process = processes.get(key)
    if process is None or not process["running"]:
        return
    cause = reason or ("Completed" if code == 0 else "Error")
    exit_: Exit = {"code": code, "reason": cause, "at": world.now, "id": process["id"]}
    processes[key] = {**process, "running": False, "ended": world.now, "ports": [], "exit": exit_}
    _note_ended(world, processes[key])
    if cause == OUT_OF_MEMORY:
        _count_kill(world, process["node"])
    world.table("shells").pop(key, None)
    _hang_up(world, key)
    world.touch()
    if tell:
        told = process.get("told", "kubelet.exited")
        world.schedule(0, told, process["pod"], process["uid"], process["container"], exit_)


def _hang_up(world: World, key: str) -> None:
    """Tell those who were connected to a process that has ended."""
    for other, row in list(world.table("processes").items()):
        if row["running"] and key in row["state"].get("peers", ()):
            program.program_of(world, row).hung_up(Container(world, other), key)


def forget(world: World, pod_uid: str) -> None:
    """Remove all that was kept of a pod that is gone; what still ran is dead."""
    for name in ("processes", "previous"):
        table = world.table(name)
        for key in [k for k in table if k.startswith(f"{pod_uid}/")]:
            if name == "processes":
                finish(world, key, 137, "Error", tell=False)
                _drop(world, f"layer/{table[key]['id']}")
            del table[key]
    _drop(world, f"pod/{pod_uid}/")
    world.touch()


def resolve(image: Image, container: Mapping[str, Json], env: Mapping[str, str]) -> Command | StartError:
    """What a container of this image executes."""
    command, args = container.get("command"), container.get("args")
    argv = [expand(a, env) for a in command or image.entrypoint]
    argv += [expand(a, env) for a in (args or (() if command else image.cmd))]
    if not argv:
        return StartError("CreateContainerError", "failed to generate container spec: no command specified")
    return find_command(image, argv, container.get("workingDir") or image.workdir, env.get("PATH", ""))


def find_command(image: Image, argv: list[str], folder: str, path: str) -> Command | StartError:
    """What a command line starts in a container of this image."""
    wrapped = argv[0].rpartition("/")[2] in WRAPPERS and image.shell
    if wrapped:
        argv = _unwrap(image, argv[1:])
    binary = _binary(image, argv[0], folder, path)
    if binary is None:
        return StartError("StartError", f'{RUNC}exec: "{argv[0]}": {_unable(image, argv[0])}: unknown')
    return Command(argv, binary, wrapped)


def environment(world: World, pod: Obj, container: Mapping[str, Json], image: Image) -> dict[str, str]:
    """Environment of a container: of the image, of Services, from ConfigMaps and Secrets, and its own."""
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    found = {"PATH": path, **image.env, "HOSTNAME": get(pod, "spec", "hostname") or name_of(pod)}
    found |= _service_links(world, pod)
    for source in container.get("envFrom") or ():
        prefix = source.get("prefix", "")
        for kind, resource in (("configMapRef", "configmaps"), ("secretRef", "secrets")):
            if reference := source.get(kind):
                obj = world.store.get(resource, namespace_of(pod), reference.get("name", ""))
                found |= {prefix + k: v for k, v in decode_data(obj, resource == "secrets").items()}
    for entry in container.get("env") or ():
        if (inner := entry.get("valueFrom")) is not None:
            value = _value_from(world, pod, container, inner)
            found |= {} if value is None else {entry["name"]: value}
        else:
            found[entry["name"]] = expand(entry.get("value", ""), found)
    return found


def expand(text: str, env: Mapping[str, str]) -> str:
    """Replace `$(NAME)`; unknown names stay, `$$` is a dollar sign.

    >>> expand("$(HOST):$(PORT) $$(HOST)", {"HOST": "geo"})
    'geo:$(PORT) $(HOST)'
    """

    def one(match: re.Match[str]) -> str:
        return "$" if match[0] == "$$" else env.get(match[1], match[0])

    return re.sub(r"\$\$|\$\(([^()$]+)\)", one, text) if "$" in text else text


def _unwrap(image: Image, argv: list[str]) -> list[str]:
    """The command line that an official image's entry point script executes in the end."""
    named = image.cmd[0] if image.cmd and executables.has_executable(image, image.cmd[0]) else ""
    main = named or next((name for name in image.binaries if name not in WRAPPERS), "")
    if not argv:
        return [main]
    if argv[0].endswith(".conf"):  # a server's settings, as the scripts of Redis and others take them
        return [main, *argv]
    known = argv[0] in image.binaries or executables.has_executable(image, argv[0]) or "/" in argv[0]
    takes_subcommands = bool(image.cmd) and not executables.has_executable(image, image.cmd[0])
    return argv if known or not (argv[0].startswith("-") or takes_subcommands) else [main, *argv]


def _binary(image: Image, word: str, folder: str, path: str) -> Binary | None:
    name = executables.resolve(image, word, folder, path)
    return image.binaries.get(name, Binary(program="sh")) if name else None


def _unable(image: Image, name: str) -> str:
    """Why a command cannot be executed that is none of the image's executables."""
    if "/" not in name:
        return "executable file not found in $PATH"
    if name in COMMON_FILES or name in image.files or any(path.startswith(f"{name}/") for path in image.files):
        return "permission denied"
    return f"stat {name}: no such file or directory"


def _service_links(world: World, pod: Obj) -> dict[str, str]:
    """The `GEO_SERVICE_HOST` variables of the Services in the pod's namespace, and those of the API server."""
    found: dict[str, str] = {}
    api = world.store.get("services", "default", "kubernetes")
    links = get(pod, "spec", "enableServiceLinks", default=True)
    services = world.store.all("services", namespace_of(pod)) if links else []
    for service in [*services, *([api] if api is not None else [])]:
        found |= _links(service)
    return found


def _links(service: Obj) -> Mapping[str, str]:
    """The variables of one Service, made once."""
    found: dict[str, str] | None = service.memo.get(_LINKS)
    if found is not None:
        return found
    found = service.memo[_LINKS] = {}
    ip, ports = get(service, "spec", "clusterIP", default=""), get(service, "spec", "ports", default=())
    if ip in ("", "None") or not ports:
        return found
    name, first = name_of(service).upper().replace("-", "_"), ports[0]
    found |= {f"{name}_SERVICE_HOST": ip, f"{name}_SERVICE_PORT": str(first["port"])}
    found[f"{name}_PORT"] = f"{first.get('protocol', 'TCP').lower()}://{ip}:{first['port']}"
    for port in ports:
        proto, number = port.get("protocol", "TCP"), str(port["port"])
        if port.get("name"):
            found[f"{name}_SERVICE_PORT_{port['name'].upper().replace('-', '_')}"] = number
        stem = f"{name}_PORT_{number}_{proto}"
        url = f"{proto.lower()}://{ip}:{number}"
        found |= {stem: url, f"{stem}_PROTO": proto.lower(), f"{stem}_PORT": number, f"{stem}_ADDR": ip}
    return found


def _value_from(world: World, pod: Obj, container: Mapping[str, Json], source: Mapping[str, Json]) -> str | None:
    if reference := source.get("fieldRef"):
        return read_field(pod, reference["fieldPath"])
    if reference := source.get("resourceFieldRef"):
        owner = find_container_spec(pod, reference["containerName"]) if reference.get("containerName") else container
        return _read_amount(world, pod, owner, reference)
    for kind, resource in (("configMapKeyRef", "configmaps"), ("secretKeyRef", "secrets")):
        if reference := source.get(kind):
            obj = world.store.get(resource, namespace_of(pod), reference.get("name", ""))
            return decode_data(obj, resource == "secrets").get(reference["key"])
    return None


def _read_amount(world: World, pod: Obj, container: Mapping[str, Json], reference: Mapping[str, Json]) -> str:
    """A limit or request in whole multiples of the divisor; where there is no limit, what the node has."""
    side, _, resource = reference["resource"].partition(".")
    amount = quantity.parse(str(get(container, "resources", side, resource, default="0")))
    if side == "limits" and not amount:
        node = world.store.get("nodes", "", get(pod, "spec", "nodeName", default="")) or Obj()
        amount = quantity.parse(str(get(node, "status", "allocatable", resource, default="0")))
    divisor = quantity.parse(str(reference.get("divisor") or "1")) or Decimal(1)
    return str(int((amount / divisor).to_integral_value(rounding=ROUND_CEILING)))


def _count_kill(world: World, node: str) -> None:
    """What the kernel of a node counts of processes that grew too large: when, of the last hour, and how many before.

    Table `oom_kills`, by node.
    """
    known = world.table("oom_kills").get(node) or {"before": 0, "times": []}
    recent = [time for time in known["times"] if time >= world.now - HOUR]
    before = known["before"] + len(known["times"]) - len(recent)
    world.table("oom_kills")[node] = {"before": before, "times": [*recent, world.now]}


def _note_ended(world: World, process: Process) -> None:
    """Keep, for an hour, what metrics need of a dead process."""
    table = world.table("ended")
    for key in [k for k, row in table.items() if row["ended"] < world.now - HOUR]:
        del table[key]
    table[process["id"]] = {
        "pod": process["pod"],
        "uid": process["uid"],
        "container": process["container"],
        "node": process["node"],
        "image": process["image"],
        "started": process["started"],
        "ended": process["ended"],
        "program": process["program"],
        "params": process["params"],
        "state": {},
    }


def _drop(world: World, prefix: str) -> None:
    volumes = world.table("volumes")
    for key in [k for k in volumes if k.startswith(prefix)]:
        del volumes[key]


def _event(world: World, key: str, process_id: str, name: str, arguments: list[Json]) -> None:
    process = world.table("processes").get(key)
    if process is None or not process["running"] or process["id"] != process_id:
        return
    if not name.startswith(TASK):
        program.program_of(world, process).event(Container(world, key), name, *arguments)
    elif key in world.table("shells"):
        program.find(world, SHELL).event(Parent(world, key), name, *arguments)
    elif process["program"] == SHELL:
        program.find(world, SHELL).event(Container(world, key), name, *arguments)


def _exit(world: World, key: str, process_id: str, code: int, reason: str = "") -> None:
    process = world.table("processes").get(key)
    if process is None or process["id"] != process_id:
        return
    if key in world.table("shells") and process["running"] and reason != OUT_OF_MEMORY:
        _return(world, key, code)
    else:
        finish(world, key, code, reason)


HANDLERS: dict[str, Handler] = {"program.event": _event, "program.exit": _exit}
