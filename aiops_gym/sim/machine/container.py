"""A running program's view of its container: clock, environment, files, volumes, log, ports and network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.blueprint import Image
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.machine.images import find_image
from aiops_gym.sim.machine.mounts import find_container_spec, read_mounts
from aiops_gym.sim.network import names, routes
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World


__all__ = ["Container", "Disk", "Parent", "find_container_spec", "find_image"]

LOG_LINES = 400
"""Lines kept of what a program wrote; older ones are gone, as after a log rotation."""


class Container:
    """One container with a process in it.

    Args:
        world: where it runs.
        key: `pod uid/container name`, the key of its row in table `processes`.
    """

    def __init__(self, world: World, key: str) -> None:
        self.world = world
        self.key = key
        self.drawn = 0

    @property
    def process(self) -> Process:
        """The row of table `processes`: read it, never change it."""
        return self.world.table("processes")[self.key]

    @property
    def now(self) -> int:
        """Milliseconds on the world's clock."""
        return self.world.now

    @property
    def env(self) -> Mapping[str, str]:
        """Environment of the process."""
        return self.process["env"]

    @property
    def argv(self) -> Sequence[str]:
        """Command line of the process, its own name first."""
        return self.process["argv"]

    @property
    def params(self) -> Mapping[str, Json]:
        """What is compiled into the binary."""
        return self.process["params"]

    @property
    def state(self) -> Mapping[str, Json]:
        """What the program remembers until it ends."""
        return self.process["state"]

    @property
    def pod(self) -> Obj | None:
        """The Pod it belongs to, None once that is gone."""
        row = self.process
        pod: Obj | None = self.world.store.by_key("pods", row["pod"])
        return pod if pod is not None and pod["metadata"]["uid"] == row["uid"] else None

    @property
    def namespace(self) -> str:
        """The pod's namespace."""
        return str(self.process["pod"]).partition("/")[0]

    @property
    def hostname(self) -> str:
        """What `hostname` prints."""
        pod = self.pod
        return (
            str(get(pod, "spec", "hostname", default="") if pod else "") or str(self.process["pod"]).partition("/")[2]
        )

    def change(self, **fields: Json) -> None:
        """Replace fields of the process row."""
        table = self.world.table("processes")
        table[self.key] = cast("Process", {**table[self.key], **fields})

    def remember(self, **changes: Json) -> None:
        """Replace fields of the program's state; values are JSON data and are never changed afterwards."""
        self.change(state={**self.state, **changes})

    def log(self, *lines: str) -> None:
        """Write lines to stdout."""
        self.change(log=[*self.process["log"], *([self.now, line] for line in lines)][-LOG_LINES:])

    def listen(self, port: int) -> None:
        """Accept connections on a port."""
        if port not in self.process["ports"]:
            self.change(ports=[*self.process["ports"], port])
            self.world.touch()

    def close(self, port: int) -> None:
        """Accept no more connections on a port."""
        if port in self.process["ports"]:
            self.change(ports=[p for p in self.process["ports"] if p != port])
            self.world.touch()

    @property
    def first_argv(self) -> Sequence[str]:
        """Command line of the container's first process, as it shows itself."""
        shell = self.world.table("shells").get(self.key)
        argv: Sequence[str] = shell["argv"] if shell is not None else self.state.get("argv") or self.argv
        return argv

    def after(self, ms: int, event: str, *arguments: Json) -> None:
        """Have the program's `event` called in `ms` milliseconds, unless it ended before."""
        self.world.schedule(ms, "program.event", self.key, self.process["id"], event, list(arguments))

    def exit(self, code: int, reason: str = "") -> None:
        """End the process as soon as its present step is done; `reason` where the exit code does not tell it."""
        self.world.schedule(0, "program.exit", self.key, self.process["id"], code, reason)

    def exit_in(self, ms: int, code: int) -> None:
        """End the process in `ms` milliseconds, unless it ended before."""
        self.world.schedule(ms, "program.exit", self.key, self.process["id"], code)

    def between(self, low: float, high: float, purpose: str, counter: int = 0) -> float:
        """A random number in [low, high) that belongs to this process and purpose."""
        return draws.between(low, high, self.world.seed, f"program/{purpose}", str(self.process["id"]), counter)

    def draw(self) -> float:
        """The next random number in [0, 1) of a command that runs here at this moment."""
        self.drawn += 1
        return self.between(0.0, 1.0, f"command/{self.drawn}", self.now)

    def dial(self, host: str, port: int) -> routes.Route:
        """Where a connection to `host:port` from here ends."""
        return routes.dial(self.world, self.key, self.namespace, host, port)

    def image(self) -> Image | None:
        """The image it was started from."""
        return find_image(self.world, self.process["image"])

    def files(self) -> dict[str, str]:
        """All text files that can be read in the container, by path, sorted: of the image and of mounted volumes."""
        image = self.image()
        found = dict(image.files) if image else {}
        found["/etc/hostname"] = f"{self.hostname}\n"
        found["/etc/hosts"] = _hosts(self)
        found["/etc/resolv.conf"] = names.find_resolver(self.world, self.process).text
        pod = self.pod
        if pod is not None:
            found |= read_mounts(self.world, pod, self.spec())
        return dict(sorted(found.items()))

    def read(self, path: str) -> str | None:
        """One of its `files`, without a look at those elsewhere; None if it has none there."""
        pod, image = self.pod, self.image()
        if path.startswith("/etc/") or pod is None or image is None:
            return self.files().get(path)
        return read_mounts(self.world, pod, self.spec(), path).get(path, image.files.get(path))

    def read_object(self, path: str) -> str | None:
        """What the object says that is mounted there, for a program that watches it in the API and not the file."""
        pod = self.pod
        return None if pod is None else read_mounts(self.world, pod, self.spec(), path, written=True).get(path)

    def spec(self) -> Mapping[str, Json]:
        """The container in the pod's spec; empty once the pod is gone."""
        pod = self.pod
        return find_container_spec(pod, self.process["container"]) if pod is not None else {}

    def disk(self, path: str) -> Disk:
        """The data in a folder, which lives as long as the volume mounted there."""
        return Disk(self.world, _volume(self, path.rstrip("/")))


class Parent(Container):
    """A shell's view of its container while a program that it has started is running: see `runtime.become`."""

    @property
    def process(self) -> Process:
        shell = self.world.table("shells")[self.key]
        return cast("Process", {**super().process, "argv": shell["argv"], "env": shell["env"], "state": shell["state"]})

    def change(self, **fields: Json) -> None:
        if "state" in fields:
            table = self.world.table("shells")
            table[self.key] = {**table[self.key], "state": fields.pop("state")}
        if fields:
            super().change(**fields)

    @property
    def child(self) -> int:
        """The task that waits for the program."""
        return int(self.world.table("shells")[self.key]["task"])

    def exit(self, code: int, reason: str = "") -> None:
        """The shell ends, and with the first process of a container all others."""
        self.world.table("shells").pop(self.key)
        Container(self.world, self.key).exit(code, reason)


def is_running(world: World, key: str) -> bool:
    """Whether a container's process is there and has not ended."""
    process = world.table("processes").get(key)
    return process is not None and process["running"]


class Disk:
    """Data in one folder of one volume: names with JSON values. Rows of table `volumes`.

    Args:
        world: where it is.
        volume: identity of the folder.
    """

    def __init__(self, world: World, volume: str) -> None:
        self.rows = world.table("volumes")
        self.prefix = f"{volume}:"

    def get(self, name: str, default: Json = None) -> Json:
        """The value kept under a name; read it, never change it."""
        return self.rows.get(self.prefix + name, default)

    def put(self, name: str, value: Json) -> None:
        """Keep a value under a name."""
        self.rows[self.prefix + name] = value

    def remove(self, name: str) -> None:
        """Forget a name, if it is there."""
        self.rows.pop(self.prefix + name, None)

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(key[len(self.prefix) :] for key in self.rows if key.startswith(self.prefix))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __contains__(self, name: str) -> bool:
        return self.prefix + name in self.rows


def _hosts(c: Container) -> str:
    head = "# Kubernetes-managed hosts file.\n" if c.pod is not None else ""
    return (
        f"{head}127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
        "fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n"
        f"{c.process['ip']}\t{c.hostname}\n{_aliases(c)}"
    )


def _aliases(c: Container) -> str:
    entries = get(c.pod or {}, "spec", "hostAliases", default=())
    told = "".join("\t".join([entry["ip"], *(entry.get("hostnames") or ())]) + "\n" for entry in entries)
    return f"\n# Entries added by HostAliases.\n{told}" if told else ""


def _volume(c: Container, path: str) -> str:
    """Identity of the storage behind a folder: of a node, a pod, or only of this container."""
    pod, spec = c.pod, c.spec()
    mounts = [m for m in spec.get("volumeMounts") or () if f"{path}/".startswith(m["mountPath"].rstrip("/") + "/")]
    if pod is None or not mounts:
        return f"layer/{c.process['id']}{path}"
    mount = max(mounts, key=lambda m: len(m["mountPath"]))
    inner = "/".join(
        part for part in (mount.get("subPath", ""), path[len(mount["mountPath"].rstrip("/")) :].strip("/")) if part
    )
    volume: Mapping[str, Json] = next(
        (v for v in get(pod, "spec", "volumes", default=()) if v["name"] == mount["name"]), {}
    )
    base = _storage(c, volume)
    return f"{base}/{inner}" if inner else base


def _storage(c: Container, volume: Mapping[str, Json]) -> str:
    if host := volume.get("hostPath"):
        return f"node/{c.process['node']}{host['path'].rstrip('/')}"
    if claim := volume.get("persistentVolumeClaim"):
        found = c.world.store.get("persistentvolumeclaims", c.namespace, claim["claimName"])
        name = get(found or {}, "spec", "volumeName", default="")
        persistent = c.world.store.get("persistentvolumes", "", name)
        path = get(persistent or {}, "spec", "hostPath", "path") or get(persistent or {}, "spec", "local", "path")
        return f"node/{c.process['node']}{path.rstrip('/')}" if path else f"volume/{name}"
    return f"pod/{c.process['uid']}/{volume.get('name', '')}"
