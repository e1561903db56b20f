"""Commands run inside a container of the simulated cluster, as `kubectl exec` and exec probes do.

A program's own tools answer by themselves. `sh -c` and the small tools of an image run in the interpreter over the
container's own files: those of its image, its mounted ConfigMaps and Secrets, and what was written there since the
container started.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from shlex import join as quoted
from shlex import quote

from aiops_gym.clients.context import CommandModule, Context, Network
from aiops_gym.clients.waiting import finish
from aiops_gym.shell import layers
from aiops_gym.shell.analysis import analyse
from aiops_gym.shell.chance import STDIN
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.commands import COMMANDS
from aiops_gym.shell.commands import help as help_
from aiops_gym.shell.disk import File, Tree, make_absolute
from aiops_gym.shell.engine import Ended, by_itself, count_depth, run_nested
from aiops_gym.shell.host import NAME
from aiops_gym.shell.repair import format_syntax_error, repair
from aiops_gym.shell.session import Session
from aiops_gym.shell.words import split_words
from aiops_gym.sim.kernel import work
from aiops_gym.sim.kernel.blueprint import Image
from aiops_gym.sim.kernel.draws import bits
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine import executables
from aiops_gym.sim.machine.container import Container, is_running
from aiops_gym.sim.machine.program import Tool
from aiops_gym.sim.machine.scripts.allowance import GRACE
from aiops_gym.sim.machine.scripts.files import Files
from aiops_gym.sim.machine.toolbox import tools_of
from aiops_gym.sim.software import programs
from aiops_gym.types import Output, Request, Response, Timed

SECONDS = 30.0
"""What a command may wait inside a container. The world stands still meanwhile: who asked for it waits afterwards."""

KILLED = 137
USUAL, PER_UNIT, DEAR = 3_000, 20, 300_000
"""What a command takes of the container's work where the cluster itself runs it: each, for so many characters that it
reads and prints, and where a limit had to end it. See `sim.kernel.work`."""

SHELLS = frozenset(executables.SHELLS)
OURS = split_words("date find id ls mktemp shuf sleep stat timeout uname whoami")
"""Commands of the host that are the same everywhere."""

MISSING = split_words(
    """
    bc column curl dig envsubst file helm help http jq kubectl less more nano nc nslookup ping ps python python3 rg
    sqlite3 strings sudo top tree vi vim watch wget xxd yq hexdump free uptime df host telnet ssh git man openssl perl
    clear history ncat uuidgen nproc
    """
)
"""What an image has only if its tools say so."""

BARE = ("HOME", "USER", "LOGNAME", "SHELL", "LANG")
BY_ITSELF = split_words("jq rg column bc file tree less more strings xxd hexdump envsubst clear history")
"""What the interpreter does by itself, in images that have it."""

_PROC = re.compile(r"/proc/(?:1|self)/(cmdline|comm|environ|status|cgroup)\b")


def exec_inside(world: World, pod_key: str, container: str, argv: list[str], stdin: str) -> Output:
    """Run a command in a running container; see `sim.kernel.world.Exec`.

    A command that is not in the image gives the container runtime's message and code 126 (127 from within a shell).
    What took time is a `Timed` output: the world has not moved meanwhile.
    """
    pod = world.store.by_key("pods", pod_key)
    key = f"{pod['metadata']['uid']}/{container}" if pod is not None else ""
    if not argv or not is_running(world, key):
        return Output("", f'container "{container}" is not running', 126)
    if not world.moving:
        return _exec(world, key, argv, stdin)
    if work.measure_left(world, key) < -GRACE:
        return Output("", "", KILLED)
    with by_itself():
        output = _exec(world, key, argv, stdin)
    characters = len(stdin) + len(output.stdout) + len(output.stderr)
    work.charge(world, key, DEAR if output.code == KILLED else USUAL + characters // PER_UNIT)
    return output


def _exec(world: World, key: str, argv: list[str], stdin: str) -> Output:
    box = _Box(world, key)
    name = executables.resolve(box.image, argv[0], box.workdir, box.container.env.get("PATH", ""))
    name = name or box.tool(argv[0])
    if not name:
        return not_in_image(argv[0])
    if name in box.tools and name not in OURS:
        return box.kept(box.tools[name](box.container, [name, *argv[1:]], stdin))
    if name in box.image.binaries:
        return programs.find(box.image.binaries[name].program).again(box.container, argv)
    return run_nested(
        lambda: box.run([name, *argv[1:]], stdin), count_depth() > 0 or analyse(_inner([name, *argv[1:]])).deep
    )


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
        self.image = self.container.image() or Image(shell=False)
        self.workdir = str(self.container.spec().get("workingDir") or self.image.workdir)
        self.tools: Mapping[str, Tool] = tools_of(world, key)
        self._drawn = 0

    @property
    def commands(self) -> Mapping[str, CommandModule]:
        """What calls back: the tools of the image, and the absence of others."""
        found: dict[str, CommandModule] = {name: COMMANDS[name] for name in OURS}
        found |= dict.fromkeys(self.names - OURS, _absent)
        found |= {name: self._adapted(tool) for name, tool in self.tools.items() if name not in SHELLS}
        found |= {"which": self._which}
        return found | {
            "uname": self._uname,
            "help": help_.run if executables.has_executable(self.image, "bash") else _absent,
        }

    @property
    def names(self) -> frozenset[str]:
        """Names of the commands."""
        own = frozenset(name for name in BY_ITSELF if executables.has_executable(self.image, name))
        return (
            (OURS | MISSING | {"which"} | frozenset(executables.load_commands()) | frozenset(self.tools)) - SHELLS - own
        )

    def tool(self, word: str) -> str:
        """The name of a program's own tool that a word means, "" if there is none."""
        name = word.rpartition("/")[2]
        known = name in self.tools and name not in executables.load_commands()
        return name if known and word in (name, f"/usr/bin/{name}", f"/bin/{name}", f"/usr/local/bin/{name}") else ""

    def draw(self) -> int:
        """64 random bits that belong to this container at this moment."""
        self._drawn += 1
        return bits(self.world.seed, "inside", str(self.container.process["id"]), self.world.now * 1000 + self._drawn)

    def fraction(self) -> float:
        """A number in [0, 1) of the same stream."""
        return (self.draw() >> 11) * 2.0**-53

    def kept(self, output: Output) -> Output:
        """An output whose files are in the container now."""
        if isinstance(output, Timed) and output.files:
            files = Files(self.container)
            for path, text in output.files.items():
                files.write(make_absolute(path, self.workdir), text)
        return output

    def run(self, argv: Sequence[str], stdin: str) -> Output:
        """Run a command that the interpreter knows, over the container's files; what it wrote there stays."""
        base, before = layers.load(self.container, self.image, self.workdir)
        inner = _inner(argv)
        about = analyse(inner)
        if about.error:
            return Output("", _as_sh(format_syntax_error(about.error, inner), argv[0]), 2)
        now = self.world.now / 1000
        session = Session(self, Clock(_Still(now), now + SECONDS))
        lent = self._lent(argv, stdin, now)
        start: Tree = {**before, **lent} if lent else before
        ended, after = session.script(_PROC.sub(rf"{layers.PROC}\1", self._script(argv, stdin)), start, about)
        if after is start:
            after = before
        elif lent:
            after = {path: file for path, file in after.items() if path not in lent}
        if not layers.store(self.container, base, before, after):
            return Output(ended.stdout, f"{argv[0]}: write error: No space left on device\n", 1)
        return _output(ended, argv[0], session.clock.elapsed())

    def _lent(self, argv: Sequence[str], stdin: str, now: float) -> Tree:
        """Files that are there only while the command runs."""
        found = {STDIN: File(data=stdin.encode(errors="replace"), time=now)} if stdin else {}
        if any(_PROC.search(word) for word in argv):
            found[layers.PROC[:-1]] = File("directory", 0o755, b"", now)
            texts = layers.make_proc_files(self.container)
            found |= {f"{layers.PROC}{name}": File("file", 0o444, text.encode(), now) for name, text in texts.items()}
        return found

    def _script(self, argv: Sequence[str], stdin: str) -> str:
        env = {"PATH": executables.PATH, "HOME": "/root"}
        env |= {"HOSTNAME": self.container.hostname, **self.container.env}
        exports = " ".join(f"{name}={quote(value)}" for name, value in env.items() if name.isidentifier())
        source = f" < {STDIN}" if stdin else ""
        return f"unset {' '.join(BARE)}; export {exports}; cd {quote(self.workdir)}; {quoted(argv)}{source}"

    def _adapted(self, tool: Tool) -> CommandModule:
        def run(context: Context, argv: list[str]) -> Output:
            return finish(context, tool(self.container, argv, context.stdin))

        return run

    def _which(self, context: Context, argv: list[str]) -> Output:
        names = [word for word in argv[1:] if not word.startswith("-")]
        places = [executables.find_path(self.image, name) or (self.tool(name) and f"/usr/bin/{name}") for name in names]
        return Output("".join(f"{place}\n" for place in places if place), "", int(not all(places)))

    def _uname(self, context: Context, argv: list[str]) -> Output:
        output = COMMANDS["uname"](context, argv)
        return Output(output.stdout.replace(NAME, self.container.hostname), output.stderr, output.code)


def _absent(context: Context, argv: list[str]) -> Output:
    return Output("", f"bash: line 1: {argv[0]}: command not found\n", 127)


def _output(ended: Ended, shell: str, seconds: float) -> Output:
    stderr = _as_sh(repair(ended.stderr), shell)
    if ended.error:
        return Output(ended.stdout, f"{stderr}{ended.error.removeprefix('resource limit exceeded: ')}\n", 137)
    return (
        Timed(ended.stdout, stderr, ended.code, seconds) if seconds > 0.0 else Output(ended.stdout, stderr, ended.code)
    )


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
