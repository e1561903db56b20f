"""A Redis 6.2 server: keys in memory, gone with its process. Params: `version`, `brand`, `memory`, `cpu`.

Its command line and the file named there are read at the start, see `sim/software/redis/settings`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import moment
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program, Tool
from aiops_gym.sim.software.redis import commands, guard, info, settings, shell
from aiops_gym.types import Json, Output

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

MEMORY_NOTE = (
    "WARNING overcommit_memory is set to 0! Background save may fail under low memory condition. To fix this issue add "
    "'vm.overcommit_memory = 1' to /etc/sysctl.conf and then reboot or run the command 'sysctl vm.overcommit_memory=1' "
    "for this to take effect."
)
NO_FILE = (
    "Warning: no config file specified, using the default config. In order to specify a config file use "
    "{0}-server /path/to/{0}.conf"
)
ENDING = ("User requested shutdown...", "{} is now ready to exit, bye bye...")


class Redis(Program):
    """Listens within a moment."""

    term_ms = (10, 60)
    protocol = "redis"

    def refuses(self, world: World, key: str, call: Mapping[str, Json], credentials: Mapping[str, str] | None) -> str:
        """Those who are not let in, nobody's client having a password, and writes for which it has no memory."""
        return guard.refuse(world.table("processes")[key], call)

    def start(self, c: Container) -> None:
        """Read the settings; a shell does what it is told."""
        brand, version = info.read_brand(c)
        if c.argv[0].endswith("-cli"):
            said = shell.redis_cli(c, c.argv, "")
            c.log(*f"{said.stdout}{said.stderr}".splitlines())
            c.exit_in(4, said.code)
            return
        try:
            found = settings.read(c.argv, c.files(), version, brand)
        except settings.Unusable as error:
            c.log(*error.lines)
            c.exit_in(4, 1)
            return
        build = f"{brand} version={version}, bits=64, commit=00000000, modified=0, pid=1, just started"
        c.log(
            self._line(c.now, "C", "#", f"oO0OoO0OoO0Oo {brand} is starting oO0OoO0OoO0Oo"),
            self._line(c.now, "C", "#", build),
            self._line(c.now, "C", "#", "Configuration loaded" if found.file else NO_FILE.format(brand.lower())),
        )
        c.remember(settings=dict(found.values), port=found.port, file=found.file, keys={}, gone={})
        guard.apply(c)
        guard.turn_away(c.world)
        c.after(int(c.between(4, 40, "open")), "open")

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """`open`: listen; `look`: see `guard.watch`."""
        if name == "look":
            guard.watch(c, due=True)
            return
        port = int(c.state["port"])
        c.log(
            self._line(c.now, "M", "*", "monotonic clock: POSIX clock_gettime"),
            self._line(c.now, "M", "*", f"Running mode=standalone, port={port}."),
            self._line(c.now, "M", "#", "Server initialized"),
            self._line(c.now, "M", "#", MEMORY_NOTE),
            self._line(c.now, "M", "*", "Ready to accept connections"),
        )
        if port:
            c.listen(port)
        guard.watch(c)

    def terminate(self, c: Container) -> None:
        """A clean shutdown."""
        c.log(f"1:signal-handler ({c.now // 1000}) Received SIGTERM scheduling shutdown...")
        c.log(*(self._line(c.now, "M", "#", text.format(info.read_brand(c)[0])) for text in ENDING))
        super().terminate(c)

    def format(self, ms: int, level: str, source: str, message: str) -> str:
        """Its log format."""
        return self._line(ms, "M", "#" if level == "error" else "*", message)

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """Small, and one thread that matters."""
        params = process["params"]
        memory = float(params.get("memory", 3 * MIB)) + min(rps, 2_000.0) * 3_000
        cpu = float(params.get("cpu", 0.0015)) + cpu_seconds_per_s
        return {"cpu": cpu, "memory": memory, "threads": 5.0}

    def tools(self, c: Container) -> Mapping[str, Tool]:
        """Its shell, under all its names."""
        names = dict.fromkeys(("redis", info.read_brand(c)[0].lower()))
        return {f"{name}-{what}": tool for name in names for what, tool in BESIDE.items()}

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """It speaks no HTTP."""
        return None

    def talk(self, world: World, process: Process, text: str) -> str:
        """Inline commands; at what looks like HTTP it hangs up."""
        c, found = Container(world, f"{process['uid']}/{process['container']}"), ""
        for line in text.replace("\r\n", "\n").split("\n"):
            words = line.split()
            if not words:
                continue
            if words[0] in ("POST", "Host:") or words[0].lower() == "quit":
                return found
            try:
                found += shell.encode_reply(commands.run(c, words))
            except commands.Error as error:
                found += f"-{error}\r\n"
        return found

    def _line(self, ms: int, role: str, mark: str, message: str) -> str:
        when = moment(ms)
        return f"1:{role} {when:%d %b %Y %H:%M:%S}.{ms % 1000:03d} {mark} {message}"


def _server(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`redis-server` beside the one that runs."""
    brand, version = info.read_brand(c)
    if "--version" in argv or "-v" in argv:
        return Output(f"{brand} server v={version} sha=00000000:0 malloc=jemalloc-5.1.0 bits=64 build=0\n")
    return Output("", "Could not create server TCP listening socket *:6379: bind: Address already in use\n", 1)


BESIDE: Mapping[str, Tool] = {"cli": shell.redis_cli, "server": _server}
program = Redis()
