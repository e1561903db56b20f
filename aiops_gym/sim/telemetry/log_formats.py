"""How programs write a line: the formats of logging libraries, by name.

A source is what the library names before the message: a logger, a category, a place in a file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from aiops_gym.sim.kernel.tables import Instance
from aiops_gym.sim.kernel.times import iso_micro, moment
from aiops_gym.sim.traffic.configuration import configured

Format = Callable[[int, str, str, str, str], str]
"""(ms, level, source, message, name of the service) -> the line."""


def _plain(ms: int, level: str, source: str, message: str, name: str) -> str:
    return message


def _log4j(ms: int, level: str, source: str, message: str, name: str) -> str:
    """The pattern of Java services: time, logger, message and the context of the trace, which is not kept here."""
    return f"{moment(ms):%Y-%m-%d %H:%M:%S} - {source} - {message} trace_id= span_id= trace_flags= "


def _python(ms: int, level: str, source: str, message: str, name: str) -> str:
    """The format that OpenTelemetry's logging instrumentation sets; `source` is `logger file:line`."""
    logger, _, place = source.partition(" ")
    context = f"trace_id=0 span_id=0 resource.service.name={name} trace_sampled=False"
    return (
        f"{moment(ms):%Y-%m-%d %H:%M:%S},{ms % 1000:03d} {level.upper()} [{logger}] [{place}] [{context}] - {message}"
    )


def _pino(ms: int, level: str, source: str, message: str, name: str) -> str:
    row = {"level": "warn" if level == "warning" else level, "time": ms, "pid": 1, "service.name": name}
    return json.dumps({**row, ("err" if level == "error" else "msg"): message}, separators=(",", ":"))


def _monolog(ms: int, level: str, source: str, message: str, name: str) -> str:
    return f"[{iso_micro(ms)[:26]}+00:00] {source}.{level.upper()}: {message}"


def _kafka(ms: int, level: str, source: str, message: str, name: str) -> str:
    return f"[{moment(ms):%Y-%m-%d %H:%M:%S},{ms % 1000:03d}] {level.upper()} {message} ({source})"


def _postgres(ms: int, level: str, source: str, message: str, name: str) -> str:
    return f"{moment(ms):%Y-%m-%d %H:%M:%S}.{ms % 1000:03d} UTC [{source or 1}] {level.upper()}:  {message}"


def _access(ms: int, level: str, source: str, message: str, name: str) -> str:
    """A line of a web server's access log: `source` is the client, the message what follows the time."""
    return f"{source or '-'} - - [{moment(ms):%d/%b/%Y:%H:%M:%S} +0000] {message}"


FORMATS: Mapping[str, Format] = {
    "plain": _plain,
    "log4j": _log4j,
    "python": _python,
    "pino": _pino,
    "monolog": _monolog,
    "log4j, time first": _kafka,
    "%m [%p]": _postgres,
    "access": _access,
}


def find_format(process: Instance) -> Callable[[int, str, str, str], str] | None:
    """How a process writes a line, where its `format` says so; None where its kind of program alone does."""
    form = FORMATS.get(str(process["params"].get("format", "")))
    if form is None:
        return None
    name = str(configured(process).get("name", ""))
    return lambda ms, level, source, message: form(ms, level, source, message, name)
