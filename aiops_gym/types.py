"""The nouns of one step, in the order they arise, and the protocols between the rooms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

Json = Any
"""JSON data: dict, list, str, int, float, bool or None."""


@dataclass(frozen=True, slots=True)
class Call:
    """One API call, as an agent wrote it. `str(call)` is the fenced block that parses back to it."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The call without its fence."""
        arguments = [_literal(a) for a in self.args] + [f"{k}={_literal(v)}" for k, v in self.kwargs.items()]
        return f"{self.name}({', '.join(arguments)})"

    def __str__(self) -> str:
        return f"```\n{self.line}\n```"


def _literal(value: Any) -> str:
    """A Python literal without backticks, so that it cannot close the fence around it."""
    return repr(value).replace("`", "\\x60")


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool printed. `final` marks a submission, whose answer is `answer`."""

    text: str
    error: str = ""
    final: bool = False
    answer: Any = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer was worth. `results` has the keys of AIOpsLab, `components` the parts of the reward."""

    reward: float
    success: bool
    results: Mapping[str, Any] = field(default_factory=dict)
    components: Mapping[str, float] = field(default_factory=dict)


class Output(NamedTuple):
    """What a command left behind."""

    stdout: str = ""
    stderr: str = ""
    code: int = 0


class Printed(Output):
    """An output that remembers in which order it was written.

    >>> printed = Printed.of([(1, "a\\n"), (2, "b\\n"), (1, "c\\n")])
    >>> printed.stdout, printed.together
    ('a\\nc\\n', 'a\\nb\\nc\\n')
    """

    together: str

    @classmethod
    def of(cls, pieces: Sequence[tuple[int, str]], code: int = 0) -> Printed:
        """What was written, in order, to file descriptor 1 or 2."""
        self = cls("".join(t for fd, t in pieces if fd == 1), "".join(t for fd, t in pieces if fd == 2), code)
        self.together = "".join(text for _, text in pieces)
        return self


class Timed(Output):
    """An output of a command that took time.

    Attributes:
        seconds: until the command ended.
        steps: seconds until each line of stdout was there; without them all of it came at the end.
        files: what it wrote, by path; a path may be relative to where it ran.

    >>> ping = Timed("a\\nb\\n", seconds=9.0, steps=(1.0, 8.0))
    >>> ping.until(5.0)
    'a\\n'
    """

    seconds: float
    steps: Sequence[float]
    files: Mapping[str, str]

    def __new__(
        cls,
        stdout: str = "",
        stderr: str = "",
        code: int = 0,
        seconds: float = 0.0,
        steps: Sequence[float] = (),
        files: Mapping[str, str] | None = None,
    ) -> Timed:
        """See the attributes."""
        self = super().__new__(cls, stdout, stderr, code)
        self.seconds, self.steps, self.files = seconds, steps, files or {}
        return self

    def until(self, seconds: float) -> str:
        """What was on stdout after so many seconds."""
        if seconds >= self.seconds:
            return self.stdout
        lines = self.stdout.splitlines(keepends=True)
        return "".join(line for line, step in zip(lines, self.steps, strict=False) if step <= seconds)


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a Kubernetes API server, without the HTTP around it.

    Attributes:
        verb: get, list, create, update, patch, delete, deletecollection.
        resource: plural name with its group, `pods` or `deployments.apps`.
        subresource: "", status, scale, log, exec, eviction, binding.
        body: an object, a patch (a list for JSON patch), DeleteOptions, or for exec `{"command": [...], "stdin": ""}`.
        content_type: of the patch: `application/strategic-merge-patch+json`, `application/merge-patch+json`,
            `application/json-patch+json` or `application/apply-patch+yaml`.
        query: labelSelector, fieldSelector, limit, dryRun, fieldManager, fieldValidation, force; for log: container,
            tailLines, previous, sinceSeconds, sinceTime, timestamps, limitBytes; for exec: container.
        table: ask for a server-side Table (`kubectl get`), not for objects.
        user: in whose name it is asked (`kubectl --as`), "" for the caller's own; its roles count then.
        groups: that this user is said to be in.
    """

    verb: str
    resource: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    body: Json = None
    content_type: str = "application/json"
    query: Mapping[str, str] = field(default_factory=dict)
    table: bool = False
    user: str = ""
    groups: tuple[str, ...] = ()


class Response(NamedTuple):
    """An API server's answer: an object, a list, a Table, a `v1.Status`, text for log, an `Output` for exec.

    Objects in it are the stored ones: read them, never change them.
    """

    code: int
    body: Any


class Cluster(Protocol):
    """What kubectl and the tools may ask of a cluster, simulated or real."""

    def handle(self, request: Request) -> Response:
        """Answer one API request; a failure is a Response with a `v1.Status`, never an exception."""

    def now(self) -> float:
        """Unix seconds on the cluster's clock."""

    def wait(self, seconds: float) -> bool:
        """Let time pass. False when the action's time is used up: stop at once and leave what was printed."""


class DockerHost(Protocol):
    """A host on which containers run beside a cluster, as far as somebody may ask its daemon."""

    def docker(self, method: str, path: str, query: Mapping[str, str] | None = None, body: Json = None) -> Response:
        """Answer one request to the Engine API; a failure is a Response with a `message`, never an exception."""


class Span(NamedTuple):
    """One Jaeger span. `start` and `duration` in microseconds, `parent` is "" for a root."""

    trace: str
    span: str
    parent: str
    service: str
    operation: str
    start: int
    duration: int
    error: bool
    tags: tuple[tuple[str, str], ...]


class Sample(NamedTuple):
    """One point of a metric series: `series` is `<node>.<pod>`, `time` Unix seconds, `label` an interface or ""."""

    time: int
    series: str
    label: str
    value: float


class Telemetry(Protocol):
    """What was recorded of a system, readable without touching it."""

    def metric_names(self) -> Sequence[str]:
        """The metrics that can be asked for, in the order in which they are exported."""

    def metrics(self, name: str, namespace: str, start: float, end: float) -> Sequence[Sample]:
        """One metric of all pods of a namespace between two Unix times, sorted by time."""

    def services(self) -> Sequence[str]:
        """The services that sent spans, as Jaeger lists them."""

    def traces(self, service: str, start: float, end: float, limit: int) -> tuple[Sequence[Span], int]:
        """The newest `limit` traces through a service, as spans, and how many there were in all."""

    def ask(self, server: str, path: str) -> tuple[int, str]:
        """Status and body that `prometheus`, `alertmanager` or `jaeger` answers to a GET; 503 out of reach."""


class Shell(Protocol):
    """Where an agent's commands run. Each run is a new shell over the same files."""

    def run(self, script: str, timeout: float = 30.0) -> ShellRun:
        """Run a script for at most `timeout` seconds of the cluster's time."""

    def read_file(self, path: str) -> str:
        """Text of a file. Raises FileNotFoundError."""

    def write_file(self, path: str, text: str) -> None:
        """Write a file, with the folders above it."""

    def list_files(self, path: str) -> Sequence[str]:
        """Full paths of all files below a folder, sorted."""


@dataclass(frozen=True, slots=True)
class ShellRun:
    """What a script left behind.

    Attributes:
        output: stdout and stderr in the order written.
        code: exit code; 124 when the time or another limit ended it.
        limit: "" or what ended it: `time`, `commands`, `output`, or `wall` (real or processor time).
    """

    stdout: str
    stderr: str
    output: str
    code: int
    limit: str = ""


Command = Callable[[Sequence[str], str], Output | tuple[str, str, int]]
"""A command of a shell: (argv with its own name first, stdin) -> (stdout, stderr, exit code)."""
