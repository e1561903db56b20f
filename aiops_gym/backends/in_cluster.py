"""kubectl inside a container: it asks the API as the ServiceAccount whose token is mounted there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aiops_gym.clients.context import Context, FileInfo
from aiops_gym.kubectl import run as kubectl
from aiops_gym.kubectl.access import INSIDE
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import handle
from aiops_gym.sim.kube_api.pods.admission import TOKEN_PATH
from aiops_gym.sim.kube_api.rbac import Account, check_impersonation
from aiops_gym.sim.kube_api.status import ApiError
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.scripts.files import Files, make_absolute
from aiops_gym.types import Output, Request, Response, Timed

PATIENCE = 30.0
"""Seconds that a command may wait: the world stands still meanwhile, and whoever runs it waits afterwards."""

CONFIG = "/root/.kube/config"
NOBODY = "The connection to the server localhost:8080 was refused - did you specify the right host or port?\n"
"""What kubectl says where it finds neither a configuration nor a token."""


class _Account:
    """The cluster as a pod's account sees it; see `types.Cluster`."""

    def __init__(self, world: World, account: Account) -> None:
        self.world, self.account, self.waited = world, account, 0.0

    def handle(self, request: Request) -> Response:
        """Answer a request that the account may make, in its own name or another's, and refuse any other."""
        user, groups = request.user or self.account.user, request.groups
        if request.user:
            try:
                check_impersonation(self.world, self.account, user, groups)
            except ApiError as error:
                return Response(error.code, error.status)
        return handle(self.world, replace(request, user=user, groups=groups))

    def now(self) -> float:
        """Unix seconds."""
        return self.world.now / 1000 + self.waited

    def wait(self, seconds: float) -> bool:
        """Count time, as long as there is patience left."""
        self.waited = min(PATIENCE, self.waited + seconds)
        return self.waited < PATIENCE


class _Files:
    """The container's files; see `clients.context.Files`."""

    def __init__(self, c: Container, cwd: str) -> None:
        self.files, self.cwd, self.space, self.now = Files(c), cwd, c.namespace, c.now / 1000

    def read(self, path: str) -> str:
        """Text of a file."""
        full = make_absolute(path, self.cwd)
        if full == CONFIG:
            inside = {"name": "inside", "context": {"cluster": "inside", "namespace": self.space, "user": "inside"}}
            cluster = {"name": "inside", "cluster": {"server": f"https://{INSIDE}"}}
            return str({"current-context": "inside", "contexts": [inside], "clusters": [cluster]})
        text = self.files.read(full)
        if text is None:
            raise (IsADirectoryError if self.files.kind(full) == "directory" else FileNotFoundError)(path)
        return text

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        self.files.write(make_absolute(path, self.cwd), text)

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder."""
        return bool(self.files.kind(make_absolute(path, self.cwd)))

    def about(self, path: str) -> FileInfo | None:
        """What is known of a file."""
        kind = self.files.kind(make_absolute(path, self.cwd))
        return FileInfo(kind, 0o644, 0, self.now) if kind else None

    def date(self, path: str, time: float) -> None:
        """kubectl gives files no other times."""

    def make_folder(self, path: str) -> None:
        """Make a folder."""
        self.files.folder(make_absolute(path, self.cwd))

    def list(self, path: str) -> Sequence[str]:
        """Names in a folder, sorted."""
        folder = f"{make_absolute(path, self.cwd).rstrip('/')}/"
        known = {*self.files.paths(), *self.files.c.files()}
        found = {each.removeprefix(folder).partition("/")[0] for each in known if each.startswith(folder)}
        if not found:
            raise FileNotFoundError(path)
        return sorted(found)

    def entries(self, path: str) -> Sequence[tuple[str, FileInfo]]:
        """What is in a folder, sorted by name."""
        names = self.list(path) if self.exists(path) else ()
        return [(name, found) for name in names if (found := self.about(f"{path.rstrip('/')}/{name}")) is not None]

    def remove(self, path: str) -> bool:
        """Remove a file."""
        there = self.exists(path)
        self.files.remove(make_absolute(path, self.cwd))
        return there


def run_kubectl(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """Run kubectl in a container; what it waited is in the output."""
    mounts = c.spec().get("volumeMounts") or ()
    if not any(each.get("mountPath") == TOKEN_PATH for each in mounts):
        return Output("", NOBODY, 1)
    cwd = str(c.spec().get("workingDir") or "/")
    account = Account(c.namespace, str(get(c.pod or {}, "spec", "serviceAccountName", default="default")))
    cluster = _Account(c.world, account)
    context = Context(cluster, _Files(c, cwd), cwd, {"HOME": "/root", **c.env}, stdin)
    done = kubectl(context, ["kubectl", *argv[1:]])
    return Timed(done.stdout, done.stderr, done.code, cluster.waited) if cluster.waited else done


CLIENTS = {"kubectl": run_kubectl}
"""What images may bring to ask the API with."""
