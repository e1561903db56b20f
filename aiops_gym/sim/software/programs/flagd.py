"""flagd: tells feature flags from a file to whoever asks, and tells again when the file changes.

Its `start` takes `--uri file:PATH`, `--port` (evaluation over gRPC) and `--ofrep-port` (the same over HTTP). A flag
that is disabled, or whose default variant does not exist, is as one that nobody knows: who asks keeps its own default
(flagd.dev/reference/flag-definitions).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import jsontext
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program, program_of
from aiops_gym.sim.machine.scripts.files import Files
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

WATCH = 10_000
"""Milliseconds between two looks at the file."""

OFREP = "/ofrep/v1/evaluate/flags"
"""Path of the OpenFeature Remote Evaluation Protocol."""


def read_flags(text: str) -> tuple[dict[str, Json], str]:
    """The values of all flags of a file, and what is wrong with it.

    >>> read_flags('{"flags": {"a": {"state": "ENABLED", "defaultVariant": "on", "variants": {"on": 1, "off": 0}}}}')
    ({'a': 1}, '')
    >>> read_flags("{")[0]
    {}
    """
    try:
        found = jsontext.load(text)
    except ValueError as error:
        return {}, str(error)
    flags = found.get("flags") if isinstance(found, dict) else None
    if not isinstance(flags, dict):
        return {}, "flags is required"
    values: dict[str, Json] = {}
    for name, flag in flags.items():
        variants = flag.get("variants") if isinstance(flag, dict) else None
        chosen = str(flag.get("defaultVariant")) if isinstance(flag, dict) else ""
        if isinstance(variants, dict) and flag.get("state") == "ENABLED" and chosen in variants:
            values[str(name)] = variants[chosen]
    return values, ""


class Flagd(Program):
    """Reads its file, then listens."""

    term_ms = (10, 120)

    def start(self, c: Container) -> None:
        """The command line."""
        words = list(c.argv)
        options = {word.lstrip("-"): words[i + 1] for i, word in enumerate(words[:-1]) if word.startswith("-")}
        path = "/" + options.get("uri", "").removeprefix("file:").removeprefix(".").lstrip("/")
        c.remember(path=path, ports=[options.get("port", "8013"), options.get("ofrep-port", "8016")])
        c.after(int(c.between(60, 300, "open")), "open")

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """`open`: the first look at the file; `watch`: a further one."""
        text = Files(c).read(str(c.state["path"]))
        if text is None and name == "open":
            self._say(c, "error", f"error from sync provider: open {c.state['path']}: no such file or directory")
            c.exit_in(5, 1)
            return
        if text is not None and text != c.state.get("text"):
            self._read(c, text)
        if name == "open":
            for port in c.state["ports"]:
                if is_natural(str(port)):
                    c.listen(int(port))
                    self._say(c, "info", f"Flag IResolver listening at [::]:{port}")
        c.after(WATCH, "watch")

    def usage(self, process: Process, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:  # type: ignore[override]
        """Small."""
        return {"cpu": 0.002 + cpu_seconds_per_s, "memory": 28.0 * MIB, "threads": 11.0}

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """Evaluation by HTTP: one flag, or all of them."""
        where, flags = path.partition("?")[0].rstrip("/"), configured(process).get("offers") or {}
        if not where.startswith(OFREP):
            return HttpAnswer(404, "404 page not found\n", seconds=0.001)
        key = where.removeprefix(OFREP).strip("/")
        if not key:
            rows = [self._evaluated(name, value) for name, value in flags.items()]
            return HttpAnswer(200, json.dumps({"flags": rows}), seconds=0.001)
        if key not in flags:
            wrong = {"key": key, "errorCode": "FLAG_NOT_FOUND", "errorDetails": f"flag `{key}` does not exist"}
            return HttpAnswer(404, json.dumps(wrong), seconds=0.001)
        return HttpAnswer(200, json.dumps(self._evaluated(key, flags[key])), seconds=0.001)

    def _evaluated(self, key: str, value: Json) -> dict[str, Json]:
        return {"value": value, "key": key, "reason": "STATIC", "metadata": {}}

    def _read(self, c: Container, text: str) -> None:
        """Another text: tell all who are connected. One that makes no sense changes nothing."""
        values, wrong = read_flags(text)
        c.remember(text=text)
        if wrong:
            self._say(c, "error", f"unable to set state: {wrong}")
            return
        c.remember(configured={"offers": values})
        for key, row in list(c.world.table("processes").items()):
            if row["running"] and c.key in row["state"].get("peers", ()):
                program_of(c.world, row).event(Container(c.world, key), "flags", 0)

    def _say(self, c: Container, level: str, message: str) -> None:
        place = {"component": "service"} if level == "info" else {"component": "runtime"}
        c.log(json.dumps({"level": level, "ts": iso(c.now), "msg": message, **place}, separators=(",", ":")))


program = Flagd()
