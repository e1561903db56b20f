"""Commands run inside a container of the simulated cluster, as `kubectl exec` and exec probes do.

A program's own tools answer by themselves. `sh -c` and the small tools of an image run in the interpreter over the
container's own files: those of its image, its mounted ConfigMaps and Secrets, and what was written there since the
container started.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from shlex import join as quoted
from shlex import quote

from aiops_gym.shell.analysis import analyse
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.commands import COMMANDS
from aiops_gym.shell.context import CommandModule, Context, Network
from aiops_gym.shell.disk import File, Tree, add, pack, unpack
from aiops_gym.shell.engine import Ended, depth, nested
from aiops_gym.shell.repair import repair, syntax_error
from aiops_gym.shell.session import STDIN, Session
from aiops_gym.shell.words import words
from aiops_gym.sim.container import Container
from aiops_gym.sim.draws import bits
from aiops_gym.sim.program import Tool
from aiops_gym.sim.programs import tools_of
from aiops_gym.sim.world import World
from aiops_gym.types import Output, Request, Response

SECONDS = 30.0
"""What a command may wait inside a container. The world stands still meanwhile: it cannot run inside itself."""

LARGEST_LAYER = 4_000_000
"""Bytes of files in a container, its image's text files included; it travels with each snapshot."""

SHELLS = words("sh bash ash dash")
OURS = words("date id ls mktemp shuf sleep stat timeout uname whoami")
"""Commands of the host that are the same everywhere."""

NATIVE = words(
    """
    [ awk base64 basename cat chmod chown cmp comm cp cut date diff dirname du echo egrep env expand expr false fgrep
    find fold grep groups gzip head id join ln ls md5sum mkdir mktemp mv nl od paste printenv printf pwd readlink
    realpath rm rmdir sed seq sha1sum sha256sum shuf sleep sort split stat tac tail tar tee test timeout touch tr true
    tsort uname uniq wc which whoami xargs yes
    """
)
"""What an image with a shell has, done by the interpreter over the container's files."""

MISSING = words(
    """
    bc column curl dig envsubst file helm http jq kubectl less more nano nc nslookup ping ps python python3 rg sqlite3
    strings sudo top tree vi vim watch wget xxd yq hexdump free uptime df hostname host telnet ssh git man
    """
)
"""What an image has only if its tools say so."""

BARE = ("HOME", "USER", "LOGNAME", "SHELL", "LANG")


def exec_inside(world: World, pod_key: str, container: str, argv: list[str], stdin: str) -> Output:
    """Run a command in a running container; see `sim.world.Exec`.

    A command that is not in the image gives the container runtime's message and code 126 (127 from within a shell).
    """
    pod = world.store.by_key("pods", pod_key)
    key = f"{pod['metadata']['uid']}/{container}" if pod is not None else ""
    if not argv or not world.table("processes").get(key, {}).get("running"):
        return Output("", f'container "{container}" is not running', 126)
    box = _Box(world, key)
    name = argv[0].rpartition("/")[2]
    if name in box.tools and name not in NATIVE and name not in SHELLS:
        return Output(*box.tools[name](box.container, [name, *argv[1:]], stdin))
    if not box.shell or name not in NATIVE | SHELLS:
        return not_in_image(argv[0])
    return nested(lambda: box.run([name, *argv[1:]], stdin), depth() > 0 or analyse(_inner([name, *argv[1:]])).deep)


def _inner(argv: Sequence[str]) -> str:
    """The script that a command line runs."""
    return argv[2] if len(argv) > 2 and argv[0] in SHELLS and argv[1] == "-c" else quoted(argv)


def not_in_image(name: str) -> Output:
    """What the container runtime says of a command that it cannot start."""
    where = f"stat {name}: no such file or directory" if "/" in name else "executable file not found in $PATH"
    text = f'exec failed: unable to start container process: exec: "{name}": {where}: unknown'
    return Output("", f"OCI runtime exec failed: {text}\n", 126)


class _Still:
    """The clock inside a container: what is waited counts, but the world does not move."""

    def __init__(self, now: float) -> None:
        self._now = now

    def handle(self, request: Request) -> Response:
        """There is no client of the API in a container."""
        return Response(403, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden"})

    def now(self) -> float:
        """Unix seconds."""
        return self._now

    def wait(self, seconds: float) -> bool:
        """Count time."""
        self._now += seconds
        return True


class _Box:
    """A container as the owner of a shell: see `session.Owner`."""

    network: Network | None = None

    def __init__(self, world: World, key: str) -> None:
        self.world = world
        self.container = Container(world, key)
        image = self.container.image()
        self.shell = image is not None and image.shell
        self.workdir = image.workdir if image is not None else "/"
        self.tools: Mapping[str, Tool] = tools_of(world, key)
        self._drawn = 0

    @property
    def commands(self) -> Mapping[str, CommandModule]:
        """What calls back: the tools of the image, and the absence of others."""
        found: dict[str, CommandModule] = {name: COMMANDS[name] for name in OURS}
        found |= dict.fromkeys(MISSING, _absent)
        return found | {name: self._adapted(tool) for name, tool in self.tools.items() if name not in NATIVE | SHELLS}

    @property
    def names(self) -> frozenset[str]:
        """Names of the commands."""
        return OURS | MISSING | (frozenset(self.tools) - NATIVE - SHELLS)

    def draw(self) -> int:
        """64 random bits that belong to this container at this moment."""
        self._drawn += 1
        return bits(self.world.seed, "inside", str(self.container.process["id"]), self.world.now * 1000 + self._drawn)

    def fraction(self) -> float:
        """A number in [0, 1) of the same stream."""
        return (self.draw() >> 11) * 2.0**-53

    def run(self, argv: Sequence[str], stdin: str) -> Output:
        """Run a command that the interpreter knows, over the container's files; what it wrote there stays."""
        base = _image_tree(tuple(self.container.files().items()), self.workdir)
        scratch, process = self.world.table("scratch"), self.container.process
        kept = scratch.get(self.container.key)
        before = unpack(kept["files"], base) if kept is not None and kept["process"] == process["id"] else base
        inner = _inner(argv)
        about = analyse(inner)
        if about.error:
            return Output("", _as_sh(syntax_error(about.error, inner), argv[0]), 2)
        now = self.world.now / 1000
        session = Session(self, Clock(_Still(now), now + SECONDS))
        start: Tree = {**before, STDIN: File(data=stdin.encode(errors="replace"), time=now)} if stdin else before
        ended, after = session.script(self._script(argv, stdin), start, about)
        after = {path: file for path, file in after.items() if path != STDIN} if stdin else after
        if after is not before and sum(len(file.data) for file in after.values()) > LARGEST_LAYER:
            return Output(ended.stdout, f"{argv[0]}: write error: No space left on device\n", 1)
        if after is not before and (written := pack(after, base)) != (kept or {}).get("files"):
            scratch[self.container.key] = {"process": process["id"], "files": written}
        return _output(ended, argv[0])

    def _script(self, argv: Sequence[str], stdin: str) -> str:
        env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        env |= {"HOSTNAME": self.container.hostname, **self.container.env}
        exports = " ".join(f"{name}={quote(value)}" for name, value in env.items() if name.isidentifier())
        source = f" < {STDIN}" if stdin else ""
        return f"unset {' '.join(BARE)}; export {exports}; cd {quote(self.workdir)}; {quoted(argv)}{source}"

    def _adapted(self, tool: Tool) -> CommandModule:
        def run(context: Context, argv: list[str]) -> Output:
            return Output(*tool(self.container, argv, context.stdin))

        return run


def _absent(context: Context, argv: list[str]) -> Output:
    return Output("", f"bash: line 1: {argv[0]}: command not found\n", 127)


@lru_cache(maxsize=64)
def _image_tree(files: tuple[tuple[str, str], ...], workdir: str) -> Tree:
    tree: dict[str, File] = {}
    for path, text in files:
        add(tree, path, File("file", 0o644, text.encode()))
    for folder in ("/root", "/tmp", "/var/tmp", workdir.rstrip("/")):
        if folder and folder not in tree:
            add(tree, folder, File("directory", 0o755))
    return dict(sorted(tree.items()))


def _output(ended: Ended, shell: str) -> Output:
    stderr = _as_sh(repair(ended.stderr), shell)
    if ended.error:
        return Output(ended.stdout, f"{stderr}{ended.error.removeprefix('resource limit exceeded: ')}\n", 137)
    return Output(ended.stdout, stderr, ended.code)


def _as_sh(stderr: str, shell: str) -> str:
    """Error text as the container's own shell words it; `bash` is taken at its word."""
    if shell == "bash":
        return stderr
    return "".join(_line_as_sh(line, shell) for line in stderr.splitlines(keepends=True))


def _line_as_sh(line: str, shell: str) -> str:
    if line.startswith("bash: line ") and line.endswith(": command not found\n"):
        number, _, rest = line[11:].partition(": ")
        name = rest.removesuffix(": command not found\n")
        return f"{shell}: {number}: {name}: not found\n"
    if line.startswith("bash: "):
        return f"{shell}: {line[6:].removeprefix('-c: ').removeprefix('line ')}"
    return line
