"""One command line through the real kubectl and through ours."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from aiops_gym.clients.context import Context
from aiops_gym.kubectl import run
from aiops_gym.serve import Door
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import handle
from aiops_gym.types import Output, Request, Response

Json = Any
SERVER = "http://127.0.0.1:6443"
"""What stands for the address of a door, which is another each time."""

CONFIG = f"""\
apiVersion: v1
clusters:
- cluster:
    server: {SERVER}
  name: kind-kind
contexts:
- context:
    cluster: kind-kind
    user: kind-kind
  name: kind-kind
current-context: kind-kind
kind: Config
preferences: {{}}
users:
- name: kind-kind
  user: {{}}
"""


class Left(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Case:
    """A command line in a state of the world.

    Attributes:
        id: unique, and for ever.
        state: name of the state.
        words: after `kubectl`.
        stdin: standard input.
        files: in the folder where it is called.
        writes: whether to compare what is stored afterwards.
        helped: whether one help text is as good as another: ours are our own.
    """

    id: str
    state: str
    words: Sequence[str]
    stdin: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    writes: bool = False
    helped: bool = False


@dataclass
class Still:
    """A cluster in which nothing happens by itself: waiting only moves the clock of the one who waits."""

    world: World
    time: float

    def handle(self, request: Request) -> Response:
        return handle(self.world, request)

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float) -> bool:
        self.time += seconds
        return True


@dataclass
class Folder:
    """Files in memory: the folder of a case, and a kubeconfig."""

    texts: dict[str, str]

    def _path(self, path: str) -> str:
        path = os.path.normpath(path)
        return path.removeprefix("/root/") if path.startswith("/root/") else path

    def read(self, path: str) -> str:
        path = self._path(path)
        if path not in self.texts:
            if any(name.startswith(path + "/") for name in self.texts):
                raise IsADirectoryError(path)
            raise FileNotFoundError(path)
        return self.texts[path]

    def write(self, path: str, text: str) -> None:
        self.texts[self._path(path)] = text

    def exists(self, path: str) -> bool:
        path = self._path(path)
        return path in self.texts or any(name.startswith(path + "/") for name in self.texts)

    def list(self, path: str) -> Sequence[str]:
        path = self._path(path)
        if path in self.texts:
            raise NotADirectoryError(path)
        below = [name.removeprefix(path + "/") for name in self.texts if name.startswith(path + "/")]
        return sorted({name.partition("/")[0] for name in below})


def ours(case: Case, world: World, client_time: float) -> Left:
    """Through the shell's kubectl, whose clock shows `client_time` (Unix seconds)."""
    files = Folder({".kube/config": CONFIG, **case.files})
    environment = {"HOME": "/root", "KUBECONFIG": "/root/.kube/config", "PATH": "/usr/bin"}
    context = Context(Still(world, client_time), files, "/root", environment, case.stdin)  # type: ignore[arg-type]
    done = run(context, ["kubectl", *case.words])
    assert isinstance(done, Output)
    return Left(done.code, passing(done.stdout), NOISE.sub("", passing(done.stderr)))


EMULATED = (1, 32)
"""The version that ours is."""


class Program(NamedTuple):
    """An installed kubectl."""

    path: str
    version: tuple[int, int]


@lru_cache(maxsize=1)
def kubectl() -> Program | None:
    """The kubectl to compare with: of our version if there is one, else a newer one."""
    beside = shutil.which("kubectl", path=str(Path(sys.executable).parent))
    paths = dict.fromkeys((shutil.which("kubectl"), beside))
    found = [Program(path, version) for path in paths if path and (version := _version(path)) >= EMULATED]
    return min(found, key=lambda program: program.version, default=None)


def _version(path: str) -> tuple[int, int]:
    told = subprocess.run([path, "version", "--client"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"Client Version: v(\d+)\.(\d+)", told)
    return (int(found[1]), int(found[2])) if found else (0, 0)


PATIENCE = 20
"""Seconds in which a command should have ended."""


class Real:
    """The real kubectl, before one door."""

    def __init__(self, door: Door, home: Path) -> None:
        found = kubectl()
        assert found is not None
        self.door, self.home, self.program = door, home, found.path

    def __call__(self, case: Case) -> tuple[Left, float, float]:
        """What the case left behind, and when it began and ended (Unix seconds)."""
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder, ".kube", "config")
            settings = {"PATH": os.environ["PATH"], "HOME": str(self.home), "KUBECONFIG": str(config), "LANG": "C"}
            for name, text in {**case.files, ".kube/config": Path(self.door).read_text(encoding="utf-8")}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.replace(SERVER, self.door.url), encoding="utf-8")
            began = time.time()
            try:
                done = subprocess.run(
                    [self.program, *(word.replace(SERVER, self.door.url) for word in case.words)],
                    env={**settings, "GOGC": "off"},
                    input=case.stdin.encode(),
                    capture_output=True,
                    timeout=PATIENCE,
                    cwd=folder,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return Left(-1, "", "it did not end"), began, time.time()
            ended = time.time()
            out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
            plain = [self._plain(text, folder) for text in (out, err)]
        return Left(done.returncode, plain[0], upstream(plain[1])), began, ended

    def _plain(self, text: str, folder: str) -> str:
        """Without what is another in each run: addresses and temporary folders."""
        ours = {self.door.url: SERVER, str(self.home): "/root", folder: "/root"}
        for theirs, mine in ours.items():
            text = text.replace(theirs, mine)
        return passing(text)


FAILED = re.compile(r'^E\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ run\.go:\d+\] "command failed" err="(.*)"$', re.M)
DISPATCHED = re.compile(r"^Usage of dispatcher-kube-config:\n(?: .*\n)+", re.M)
NOISE = re.compile(r"^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\] .*\n", re.M)


def upstream(text: str) -> str:
    """What a kubectl from kubernetes.io would have written to stderr.

    A vendor's build that dispatches between versions (`v1.32.4-dispatcher`) says `Error:` where flags or commands are
    wrong and ends one line more, and logs `"command failed"` where a flag is missing; upstream says `error:`. It prints
    its own usage where a letter of a word such as `-lpod-template-hash=x` is taken for `-h`. Lines of the log, which
    have a process id, are left out. Nothing else is changed.
    """
    text = FAILED.sub(lambda found: "error: " + found[1].replace('\\"', '"'), text)
    text = DISPATCHED.sub("", NOISE.sub("", text))
    if text.startswith("Error: "):
        text = "error: " + text[7:]
        text = text[:-1] if text.endswith("\n\n") else text
    return text


PASSING = (
    (re.compile(r"/tmp/(LIVE|MERGED)-\d+"), r"/tmp/\1-0"),
    (re.compile(r"(?m)^(---|\+\+\+) (/tmp/\S+)\t.*$"), r"\1 \2\t<time>"),
)


def passing(text: str) -> str:
    """Without the names and times of the temporary files that `diff` compares."""
    for pattern, instead in PASSING:
        text = pattern.sub(instead, text)
    return text


VOLATILE = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "generateName")
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def stored(world: World) -> dict[str, Json]:
    """All objects by resource and key, without what differs between any two runs."""
    found: dict[str, Json] = {}
    for name, table in sorted(world.tables.items()):
        if name.startswith("objects/"):
            for key, obj in sorted(table.items()):
                found[f"{name.removeprefix('objects/')} {key}"] = _plain(obj)
    return found


def _plain(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items() if k not in VOLATILE}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return STAMP.sub("<time>", value) if isinstance(value, str) else value


def changes(before: World, after: World) -> dict[str, Json]:
    """What was created (an object), changed (an object) and deleted (None), by resource and key."""
    found: dict[str, Json] = {}
    for name in sorted({*before.tables, *after.tables}):
        if not name.startswith("objects/"):
            continue
        old, new = before.tables.get(name, {}), after.tables.get(name, {})
        for key in sorted({*old, *new}):
            if old.get(key) is not new.get(key):
                value = _plain(new[key]) if key in new else None
                if value is None or key not in old or value != _plain(old[key]):
                    found[f"{name.removeprefix('objects/')} {key}"] = value
    return found
