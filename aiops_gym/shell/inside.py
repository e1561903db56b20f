"""The utilities of images that the simulated machine does not have itself: see `sim.kernel.world.Utility`.

They are the interpreter's, run one at a time over the container's own files: those of its image, its mounted ConfigMaps
and Secrets, and what was written there since the container started. Scripts are not run here, but
for what utilities start themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from aiops_gym.clients.context import CommandModule, Context, Network
from aiops_gym.clients.waiting import finish
from aiops_gym.shell import layers
from aiops_gym.shell.calls import Calls
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.commands import COMMANDS
from aiops_gym.shell.engine import by_itself
from aiops_gym.shell.host import NAME
from aiops_gym.shell.host_files import HostTree
from aiops_gym.shell.lending import Place
from aiops_gym.shell.plain import Timer
from aiops_gym.shell.words import split_words
from aiops_gym.sim.kernel.blueprint import Image
from aiops_gym.sim.kernel.draws import bits
from aiops_gym.sim.machine import executables
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import Tool
from aiops_gym.sim.machine.scripts.allowance import KILLED
from aiops_gym.sim.machine.scripts.files import PROC, Files, read_process
from aiops_gym.sim.machine.toolbox import tools_of
from aiops_gym.types import Output, Timed

SECONDS = 900.0
"""What a utility may wait inside a container. The world stands still meanwhile: who asked for it waits afterwards."""

SHELLS = frozenset(executables.SHELLS)
OURS = split_words("comm date diff find id ls mktemp shuf sleep stat timeout touch uname whoami")
"""Commands of the host that are the same everywhere."""

MISSING = split_words(
    """
    bc column curl dig envsubst file helm help http jq kubectl less more nano nc nslookup ping ps python python3 rg
    sqlite3 strings sudo top tree vi vim watch wget xxd yq hexdump free uptime df host telnet ssh git man openssl perl
    clear history ncat uuidgen nproc
    """
)
"""What an image has only if its tools say so."""

BY_ITSELF = split_words("rg column bc file tree less more strings xxd hexdump envsubst clear history")
"""What the interpreter does by itself, in images that have it."""

_PROC = re.compile(rf"{PROC.pattern}(cmdline|comm|environ|status|cgroup)\b")
_FDS = re.compile(r"/dev/fd/(\d+)\b")


def run_utility(c: Container, argv: Sequence[str], stdin: str, cwd: str, env: Mapping[str, str]) -> Output:
    """Run a utility that is in the image. What took time is a `Timed` output: the world has not moved meanwhile."""
    box = _Box(c, cwd, env)
    if not c.world.moving:
        return box.run(argv, stdin)
    with by_itself():
        return box.run(argv, stdin)


class _Box:
    """A container as the owner of a shell: see `lending.Owner`."""

    network: Network | None = None

    def __init__(self, c: Container, cwd: str, env: Mapping[str, str]) -> None:
        self.world = c.world
        self.container = c
        self.cwd, self.env = cwd, env
        self.image = c.image() or Image(shell=False)
        self.tools: Mapping[str, Tool] = tools_of(c.world, c.key)
        self._drawn = 0

    @property
    def commands(self) -> Mapping[str, CommandModule]:
        """What calls back: the tools of the image, and the absence of others."""
        found: dict[str, CommandModule] = {name: COMMANDS[name] for name in OURS}
        found |= dict.fromkeys(self.names - OURS, _absent)
        found |= {name: self._adapted(tool) for name, tool in self.tools.items() if name not in SHELLS}
        if executables.has_executable(self.image, "jq"):
            found["jq"] = COMMANDS["jq"]
        return found | {"uname": self._uname}

    @property
    def names(self) -> frozenset[str]:
        """Names of the commands."""
        own = frozenset(name for name in BY_ITSELF if executables.has_executable(self.image, name))
        return (OURS | MISSING | frozenset(executables.load_commands()) | frozenset(self.tools)) - SHELLS - own

    def draw(self) -> int:
        """64 random bits that belong to this container at this moment."""
        self._drawn += 1
        return bits(self.world.seed, "inside", str(self.container.process["id"]), self.world.now * 1000 + self._drawn)

    def fraction(self) -> float:
        """A number in [0, 1) of the same stream."""
        return (self.draw() >> 11) * 2.0**-53

    def run(self, argv: Sequence[str], stdin: str) -> Output:
        """Run a command that the interpreter knows, over the container's files; what it wrote there stays."""
        base, before = layers.load(self.container, self.image)
        now = self.world.now / 1000
        clock = Clock(Timer(now), now + SECONDS)
        tree = HostTree(before, clock.now)
        tree.lent = self._lent(argv)
        calls = Calls(self, clock, tree)
        output = calls.run(argv, stdin, Place(self.cwd, {"PATH": executables.PATH, "HOME": "/root", **self.env}))
        if not layers.store(self.container, base, before, tree.freeze()):
            return Output(output.stdout, f"{argv[0]}: write error: No space left on device\n", 1)
        return _end(output, calls.error, clock.elapsed())

    def _lent(self, argv: Sequence[str]) -> dict[str, bytes]:
        """Files that are there only while the command runs."""
        found = {path: read_process(self.container, path) for path in argv if _PROC.fullmatch(path)}
        found |= {path: Files(self.container).read(path) for path in argv if _FDS.fullmatch(path)}
        return {path: text.encode(errors="replace") for path, text in found.items() if text is not None}

    def _adapted(self, tool: Tool) -> CommandModule:
        def run(context: Context, argv: list[str]) -> Output:
            return finish(context, tool(self.container, argv, context.stdin))

        return run

    def _uname(self, context: Context, argv: list[str]) -> Output:
        output = COMMANDS["uname"](context, argv)
        return Output(output.stdout.replace(NAME, self.container.hostname), output.stderr, output.code)


def _absent(context: Context, argv: list[str]) -> Output:
    return Output("", f"bash: line 1: {argv[0]}: command not found\n", 127)


def _end(output: Output, error: str, seconds: float) -> Output:
    if error:
        wrong = f"{output.stderr}{error.removeprefix('resource limit exceeded: ')}\n"
        return Output(output.stdout, wrong, KILLED)
    return Timed(output.stdout, output.stderr, output.code, seconds) if seconds else output
