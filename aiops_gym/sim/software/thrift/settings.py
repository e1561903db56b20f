"""The two files that a service reads at its start, with the very complaints of the libraries that read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import yaml

from aiops_gym import caches
from aiops_gym.errors import AiopsGymError
from aiops_gym.sim.kernel import jsontext, yamltext
from aiops_gym.types import Json

SERVICES, TRACING = "service-config.json", "jaeger-config.yml"
NAMES = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
LARGEST = 1 << 31
AGENT = "127.0.0.1:6831"
REMOTE = 0.001
"""Share of traces kept as long as nobody tells a remote sampler how many; the default sampler is one."""


class Aborted(AiopsGymError):
    """An exception that nobody catches: the process aborts.

    Attributes:
        kind: C++ class.
        what: its message.
    """

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(what)
        self.kind = kind
        self.what = what

    @property
    def lines(self) -> list[str]:
        """What the C++ runtime writes."""
        return [f"terminate called after throwing an instance of '{self.kind}'", f"  what():  {self.what}"]


class Tracing(NamedTuple):
    """Where spans go (`host:port`, "" for nowhere), and the share of traces that is kept."""

    agent: str
    sample: float


@caches.function(64, "parsing `jaeger-config.yml`")
def read_tracing(text: str | None) -> Tracing:
    """Read `jaeger-config.yml`. Raises Aborted.

    >>> read_tracing("reporter: {localAgentHostPort: 'jaeger:6831'}\\nsampler: {type: probabilistic, param: 0.01}")
    Tracing(agent='jaeger:6831', sample=0.01)
    """
    if text is None:
        raise Aborted("YAML::BadFile", "bad file")
    try:
        found = yamltext.load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        why = getattr(error, "problem", None) or "illegal map value"
        raise Aborted("YAML::ParserException", f"yaml-cpp: error at line {line}, column {column}: {why}") from error
    return read_sampler(found if isinstance(found, Mapping) else {})


def read_sampler(config: Mapping[str, Json]) -> Tracing:
    """What the configuration of a Jaeger client, in YAML or JSON, amounts to."""
    reporter, sampler = _mapping(config.get("reporter")), _mapping(config.get("sampler"))
    if config.get("disabled") is True:
        return Tracing("", 0.0)
    kind, param = sampler.get("type", "remote"), sampler.get("param")
    number = min(1.0, max(0.0, param)) if isinstance(param, int | float) and not isinstance(param, bool) else 0.0
    shares = {"const": float(number != 0), "probabilistic": float(number), "ratelimiting": REMOTE}
    return Tracing(str(reporter.get("localAgentHostPort") or AGENT), shares.get(str(kind), REMOTE))


class Services:
    """`service-config.json`.

    Args:
        text: of the file. Raises Aborted when it is no JSON.
    """

    def __init__(self, text: str) -> None:
        try:
            self.data = jsontext.load(text)
        except ValueError as error:
            line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
            rest = text[getattr(error, "pos", 0) :].split("\n", 1)[0][:1]
            found = f"'{rest}'" if rest else "end of input"
            where = f"parse error at line {line}, column {column}: syntax error while parsing value"
            what = f"[json.exception.parse_error.101] {where} - unexpected {found}"
            raise Aborted("nlohmann::detail::parse_error", what) from error

    def number(self, *path: str) -> int:
        """A number. Raises Aborted when there is none."""
        found = self._value("number", path)
        if not -LARGEST <= found <= LARGEST:
            what = "[json.exception.out_of_range.406] number overflow parsing"
            raise Aborted("nlohmann::detail::out_of_range", f"{what} '{found}'")
        return int(found)

    def text(self, *path: str) -> str:
        """A string. Raises Aborted when there is none."""
        return str(self._value("string", path))

    def flag(self, *path: str) -> bool:
        """A boolean. Raises Aborted when there is none."""
        return bool(self._value("boolean", path))

    def address(self, name: str) -> list[Json]:
        """[host, port] of a service or store. Raises Aborted when it is not given."""
        return [self.text(name, "addr"), self.number(name, "port")]

    def _value(self, kind: str, path: Sequence[str]) -> Json:
        found = self.data
        for name in path:
            if found is not None and not isinstance(found, Mapping):
                what = f"cannot use operator[] with a string argument with {_kind(found)}"
                raise Aborted("nlohmann::detail::type_error", f"[json.exception.type_error.305] {what}")
            found = (found or {}).get(name)
        if _kind(found) != kind:
            what = f"[json.exception.type_error.302] type must be {kind}, but is {_kind(found)}"
            raise Aborted("nlohmann::detail::type_error", what)
        return found


def list_callees(params: Mapping[str, Json]) -> list[str]:
    """Names in `service-config.json` of all that a service calls, in the order in which it reads them."""
    return list(dict.fromkeys(_named(params)))


def _named(params: Mapping[str, Json]) -> Iterator[str]:
    for step in params.get("startup", ()):
        if "mongo" in step:
            yield step["mongo"]["to"]
    handlers: Mapping[str, Json] = params.get("handlers") or {}
    for handler in handlers.values():
        for item in handler.get("calls", ()):
            for call in item if isinstance(item, list | tuple) else [item]:
                yield call["to"]


def _kind(value: Json) -> str:
    return "null" if value is None else NAMES.get(type(value), "object")


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}
