"""The utilities of images that the simulated machine does not have itself: see `sim.kernel.world.Utility`.

They are the interpreter's, run one at a time over the container's own files: those of its image, its mounted ConfigMaps
and Secrets, and what was written there since the container started. Scripts are not run here, but
for what utilities start themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from shlex import join as quoted
from shlex import quote

from aiops_gym.clients.context import CommandModule, Context, Network
from aiops_gym.clients.waiting import finish
from aiops_gym.shell import layers
from aiops_gym.shell.analysis import analyse
from aiops_gym.shell.chance import STDIN
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.commands import COMMANDS
from aiops_gym.shell.disk import File, Tree
from aiops_gym.shell.engine import Ended, by_itself, count_depth, run_nested
from aiops_gym.shell.host import NAME
from aiops_gym.shell.plain import Timer
from aiops_gym.shell.repair import repair
from aiops_gym.shell.session import Session
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
BY_ITSELF = split_words("rg column bc file tree less more strings xxd hexdump envsubst clear history")
"""What the interpreter does by itself, in images that have it."""

_ENVIRONMENT = split_words("-exec envsubst env printenv watch xargs")
"""Words of calls to which the variables of their environment make a difference."""

_PROC = re.compile(rf"{PROC.pattern}(cmdline|comm|environ|status|cgroup)\b")
_FDS = re.compile(r"/dev/fd/(\d+)\b")


def run_utility(c: Container, argv: Sequence[str], stdin: str, cwd: str, env: Mapping[str, str]) -> Output:
    """Run a utility that is in the image. What took time is a `Timed` output: the world has not moved meanwhile."""
    box = _Box(c, cwd, env)
    inner = count_depth() > 0 or analyse(quoted(argv)).deep
    if not c.world.moving:
        return run_nested(lambda: box.run(argv, stdin), inner)
    with by_itself():
        return run_nested(lambda: box.run(argv, stdin), inner)


class _Box:
    """A container as the owner of a shell: see `session.Owner`."""

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
        about = analyse(quoted(argv))
        now = self.world.now / 1000
        session = Session(self, Clock(Timer(now), now + SECONDS))
        lent = self._lent(argv, stdin, now)
        start: Tree = {**before, **lent} if lent else before
        script = _FDS.sub(rf"{layers.PROC}fd\1", _PROC.sub(rf"{layers.PROC}\1", self._script(argv, stdin)))
        ended, after = session.script(script, start, about)
        if after is start:
            after = before
        elif lent:
            after = {path: file for path, file in after.items() if path not in lent}
        if not layers.store(self.container, base, before, after):
            return Output(ended.stdout, f"{argv[0]}: write error: No space left on device\n", 1)
        return _output(ended, session.clock.elapsed())

    def _lent(self, argv: Sequence[str], stdin: str, now: float) -> Tree:
        """Files that are there only while the command runs."""
        found = {STDIN: File(data=stdin.encode(errors="replace"), time=now)} if stdin else {}
        if any(_PROC.search(word) for word in argv):
            found[layers.PROC[:-1]] = File("directory", 0o755, b"", now)
            for path in (each[0] for word in argv for each in _PROC.finditer(word)):
                text = read_process(self.container, path) or ""
                found[_PROC.sub(rf"{layers.PROC}\1", path)] = File("file", 0o444, text.encode(), now)
        for path in (each[0] for word in argv for each in _FDS.finditer(word)):
            lent = Files(self.container).read(path)
            if lent is not None:
                found[layers.PROC[:-1]] = File("directory", 0o755, b"", now)
                found[_FDS.sub(rf"{layers.PROC}fd\1", path)] = File("file", 0o444, lent.encode(), now)
        return found

    def _script(self, argv: Sequence[str], stdin: str) -> str:
        source, begin = f" < {STDIN}" if stdin else "", f"cd {quote(self.cwd)}; "
        if not _ENVIRONMENT.isdisjoint(argv) or any("ENVIRON" in word or "system" in word for word in argv):
            exports = " ".join(f"{name}={quote(value)}" for name, value in self.env.items() if name.isidentifier())
            begin = f"unset {' '.join(BARE)}; export PATH={executables.PATH} HOME=/root {exports}; {begin}"
        return f"{begin}{quoted(argv)}{source}"

    def _adapted(self, tool: Tool) -> CommandModule:
        def run(context: Context, argv: list[str]) -> Output:
            return finish(context, tool(self.container, argv, context.stdin))

        return run

    def _uname(self, context: Context, argv: list[str]) -> Output:
        output = COMMANDS["uname"](context, argv)
        return Output(output.stdout.replace(NAME, self.container.hostname), output.stderr, output.code)


def _absent(context: Context, argv: list[str]) -> Output:
    return Output("", f"bash: line 1: {argv[0]}: command not found\n", 127)


def _output(ended: Ended, seconds: float) -> Output:
    stderr, hidden = repair(ended.stderr), f"{layers.PROC}fd"
    if hidden in ended.stdout or hidden in stderr:
        stderr = stderr.replace(hidden, "/dev/fd/")
        ended = replace(ended, stdout=ended.stdout.replace(hidden, "/dev/fd/"))
    if ended.error:
        return Output(ended.stdout, f"{stderr}{ended.error.removeprefix('resource limit exceeded: ')}\n", KILLED)
    return Timed(ended.stdout, stderr, ended.code, seconds) if seconds else Output(ended.stdout, stderr, ended.code)
