"""What all of Kafka's scripts have in common: how they read options, reach a broker, and say that something failed.

Options are those of JOpt Simple, by their whole names. A help names them, and does not describe them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aiops_gym.sim.kernel.digits import integer
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.software.environment import read_address
from aiops_gym.sim.telemetry.log_formats import FORMATS
from aiops_gym.types import Json, Output, Timed

ERRORS, CLIENTS, ILLEGAL = (
    "org.apache.kafka.common.errors",
    "org.apache.kafka.clients",
    "java.lang.IllegalArgumentException",
)
COMMON, TAKES = "bootstrap-server= command-config= help version", {"=": " <String>", "?": " [String]"}
FOREVER, TOLD = 1e9, 60.0
"""Seconds that never end, and those in which somebody hears that there is no broker."""


class Refused(Exception):
    """A script ends: `output` is what it leaves behind."""

    def __init__(self, output: Output) -> None:
        super().__init__(output.stderr)
        self.output = output


@dataclass(frozen=True)
class Script:
    """One of the scripts.

    Attributes:
        run: what it does.
        options: their names, those that take a value with `=`, and with `?` where it may be left out.
        wrong: what it says of an option that it does not know, with `{kind}` and `{text}`; "" for its help.
        failed: what it says of a failure, with `{now}` besides, on stdout and on stderr, and its exit code.
        patience: seconds that it waits for a broker.
    """

    run: Callable[[Call], Output]
    options: str
    wrong: str = ""
    failed: tuple[str, str, int] = ("", "{kind}: {text}\n", 1)
    patience: float = 60.0

    def __call__(self, c: Container, argv: Sequence[str], stdin: str) -> Output:
        """Run it in a container: see `machine.program.Tool`."""
        call = Call(c, self, {}, stdin)
        try:
            call.read(list(argv[1:]))
            if call.has("version"):
                return Output("3.9.1\n")
            if call.has("help") or len(argv) < 2:
                raise call.explain("This tool works on the topics and the groups of a broker.")
            return self.run(call)
        except Refused as refused:
            return refused.output


@dataclass(frozen=True)
class Call:
    """A script that runs: where, with which options (name -> all their values) and which standard input."""

    c: Container
    script: Script
    words: dict[str, list[str]]
    stdin: str

    def read(self, left: list[str]) -> None:
        """Find the options on a command line; words that belong to none are passed over."""
        known = {word.rstrip("=?"): word[-1] for word in f"{self.script.options} {COMMON}".split()}
        while left:
            word = left.pop(0)
            name, equals, value = word.lstrip("-").partition("=")
            if not word.startswith("-") or word == "--":
                continue
            if name not in known:
                raise self.wrong("UnrecognizedOptionException", f"{name} is not a recognized option")
            if known[name] == "=" and not equals and not left:
                raise self.wrong("OptionMissingRequiredArgumentException", f"Option {name} requires an argument")
            if not equals and (known[name] == "=" or (known[name] == "?" and left and left[0][:1] != "-")):
                value = left.pop(0)
            self.words.setdefault(name, []).append(value)

    def has(self, *names: str) -> bool:
        """Whether one of them was given."""
        return any(name in self.words for name in names)

    def get(self, name: str) -> str:
        """The value of an option, "" without one."""
        return self.words.get(name, [""])[0]

    def number(self, name: str) -> int | None:
        """The number that an option was given, None without it."""
        found = integer(self.get(name))
        if self.has(name) and found is None:
            text = f"Cannot parse argument '{self.get(name)}' of option {name}"
            raise self.wrong("OptionArgumentConversionException", text)
        return found

    def require(self, name: str) -> None:
        """Raise `Refused` where an option is missing."""
        if not self.has(name):
            raise self.explain(f'Missing required argument "[{name}]"')

    def explain(self, text: str) -> Refused:
        """A message with the names of the options below it."""
        words = sorted(f"{self.script.options} {COMMON}".split())
        rows = [f"--{word.rstrip('=?')}{TAKES.get(word[-1], '')}" for word in words]
        heads = [f"{'Option':<40}Description", f"{'------':<40}-----------"]
        return Refused(Output("", f"{text}\n" + "".join(f"{row:<79}\n" for row in heads + rows), 1))

    def wrong(self, kind: str, text: str) -> Refused:
        """What is said of an option that it cannot read."""
        said = self.script.wrong.format(kind=f"joptsimple.{kind}", text=text)
        return Refused(Output("", said, 1)) if said else self.explain(text)

    def fail(self, kind: str, text: str, before: str = "", seconds: float = 0.0) -> Refused:
        """What it says of a failure, after some seconds and lines on stderr."""
        told = {"kind": kind if "." in kind else f"{ERRORS}.{kind}", "text": text, "now": self.stamp("", "", "")[1:24]}
        stdout, stderr, code = self.script.failed
        return Refused(Timed(stdout.format(**told), before + stderr.format(**told), code, seconds))

    def stamp(self, level: str, source: str, text: str, later: int = 0) -> str:
        """A line of its log, on stderr."""
        return FORMATS["log4j, time first"](self.c.now + later, level, source, text, "") + "\n"

    def find_broker(self) -> Container | None:
        """The broker at its address, None where nobody answers; raises `Refused` for a name that nobody has."""
        at = read_address(self.get("bootstrap-server").partition(",")[0])
        route = self.c.dial(at.host, at.port)
        for target in route.targets:
            if self.c.world.table("processes")[target.process]["program"] == "kafka":
                return Container(self.c.world, target.process)
        if route.outcome in ("no_host", "no_answer"):
            why = f"from bootstrap.servers as DNS resolution failed for {at.host}"
            said = self.stamp("warn", f"{CLIENTS}.ClientUtils", f"Couldn't resolve server {at.host}:{at.port} {why}")
            raise self.fail("org.apache.kafka.common.KafkaException", "Failed to create new KafkaAdminClient", said)
        return None

    def complain(self, who: str, seconds: float) -> str:
        """What a client says while it finds nobody: after 50 ms, then twice as late each time, then each second."""
        at, said, ms, wait = read_address(self.get("bootstrap-server").partition(",")[0]), "", 0, 50
        node = f"node -1 ({at.host}/{self.c.dial(at.host, at.port).address}:{at.port})"
        text = f"[{who}] Connection to {node} could not be established. Node may not be available."
        while ms < min(seconds, TOLD) * 1000:
            said += self.stamp("warn", f"{CLIENTS}.NetworkClient", text, ms)
            ms, wait = ms + wait, min(1_000, wait * 2)
        return said

    def connect(self, request: str, who: str = "AdminClient clientId=adminclient-1") -> Container:
        """The broker. Raises `Refused` where there is none."""
        if (broker := self.find_broker()) is not None:
            return broker
        seconds, text = self.script.patience, f"Timed out waiting for a node assignment. Call: {request}"
        if who.startswith("Producer"):
            text = f"Topic {request} not present in metadata after {seconds * 1000:.0f} ms."
        raise self.fail("TimeoutException", text, self.complain(who, seconds), seconds)


def store(broker: Container, topics: Mapping[str, Json], *born: str) -> None:
    """Have a broker keep topics as they are given, of which some were made, or taken away, just now."""
    births = {**(broker.state.get("births") or {}), **dict.fromkeys(born, broker.now)}
    broker.remember(topics=dict(topics), births=births)
    program_of(broker.world, broker.process).event(broker, "settle")
