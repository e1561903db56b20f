"""flagd: tells feature flags from a file to whoever asks, and tells again when the file changes.

Its `start` takes `--uri file:PATH`, `--port` (evaluation over gRPC) and `--ofrep-port` (the same over HTTP). A flag
that is disabled, or whose default variant does not exist, is as one that nobody knows: who asks keeps its own default
(flagd.dev/reference/flag-definitions).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
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

END = "unexpected end of JSON input"
PLACES = {
    "Expecting property name enclosed in double quotes": "looking for beginning of object key string",
    "Expecting ':' delimiter": "after object key",
    "Extra data": "after top-level value",
    "Invalid control character at": "in string literal",
}
"""Where JSON is wrong, in Python's words and in Go's."""

WATCH = 10_000
"""Milliseconds between two looks at the file."""

OFREP = "/ofrep/v1/evaluate/flags"
"""Path of the OpenFeature Remote Evaluation Protocol."""


def read_flags(text: str) -> tuple[dict[str, Json], str]:
    """The values of all flags of a file, and what is wrong with it.

    >>> read_flags('{"flags": {"a": {"state": "ENABLED", "defaultVariant": "on", "variants": {"on": 1, "off": 0}}}}')
    ({'a': 1}, '')
    >>> read_flags("{")
    ({}, 'transposing evaluators: unmarshal: unexpected end of JSON input')
    """
    try:
        found = jsontext.load(text)
    except ValueError as error:
        return {}, f"transposing evaluators: unmarshal: {_in_go(text, error)}"
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


def find_variants(text: str) -> dict[str, str]:
    """By flag, the variant that it has: see `read_flags`, which has to find a value for it."""
    flags = jsontext.load(text)["flags"]
    return {name: str(flags[name]["defaultVariant"]) for name in read_flags(text)[0]}


def _in_go(text: str, error: ValueError) -> str:
    """What Go's encoding/json says of a text that is no JSON.

    >>> _in_go("not", json.JSONDecodeError("Expecting value", "not", 0))
    "invalid character 'o' in literal null (expecting 'u')"
    """
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    rest = text[error.pos :]
    for word in ("true", "false", "null"):
        if error.msg == "Expecting value" and rest[:1] == word[0]:
            at = next((i for i, letter in enumerate(word) if rest[i : i + 1] != letter), 0)
            if rest[at : at + 1]:
                return f"invalid character {_quote(rest[at])} in literal {word} (expecting {_quote(word[at])})"
            return END
    if not rest or "Unterminated" in error.msg:
        return END
    inside = "after array element" if _is_in_list(text[: error.pos]) else "after object key:value pair"
    where = {**PLACES, "Expecting ',' delimiter": inside}.get(error.msg, "looking for beginning of value")
    return f"invalid character {_quote(rest[0])} {where}"


def _quote(letter: str) -> str:
    return {"'": r"'\''", '"': "'\"'"}.get(letter) or json.dumps(letter).replace('"', "'")


def _is_in_list(text: str) -> bool:
    """Whether a text that JSON may begin with ends within a list."""
    text, shorter = "", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    while text != shorter:
        text, shorter = shorter, re.sub(r"\[[^][{}]*\]|\{[^][{}]*\}", "", shorter)
    return text.rfind("[") > text.rfind("{")


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
        where, told = path.partition("?")[0].rstrip("/"), configured(process)
        flags, variants = told.get("offers") or {}, told.get("variants") or {}
        if not where.startswith(OFREP):
            return HttpAnswer(404, "404 page not found\n", seconds=0.001)
        if method != "POST":
            return HttpAnswer(405, seconds=0.001)
        key = where.removeprefix(OFREP).strip("/")
        if not key:
            rows = [self._evaluated(name, value, variants) for name, value in flags.items()]
            return self._tell(200, {"flags": rows, "metadata": {}})
        if key not in flags:
            wrong = {"key": key, "errorCode": "FLAG_NOT_FOUND", "errorDetails": f"flag `{key}` does not exist"}
            return self._tell(404, wrong)
        return self._tell(200, self._evaluated(key, flags[key], variants))

    def _evaluated(self, key: str, value: Json, variants: Mapping[str, str]) -> dict[str, Json]:
        return {"value": value, "key": key, "reason": "STATIC", "variant": variants.get(key, ""), "metadata": {}}

    def _tell(self, status: int, what: Mapping[str, Json]) -> HttpAnswer:
        return HttpAnswer(status, json.dumps(what, separators=(",", ":")), seconds=0.001)

    def _read(self, c: Container, text: str) -> None:
        """Another text: tell all who are connected. One that makes no sense changes nothing."""
        values, wrong = read_flags(text)
        c.remember(text=text)
        if wrong:
            self._say(c, "error", wrong)
            return
        c.remember(configured={"offers": values, "variants": find_variants(text)})
        for key, row in list(c.world.table("processes").items()):
            if row["running"] and c.key in row["state"].get("peers", ()):
                program_of(c.world, row).event(Container(c.world, key), "flags", 0)

    def _say(self, c: Container, level: str, message: str) -> None:
        place = {"component": "service"} if level == "info" else {"component": "runtime"}
        c.log(json.dumps({"level": level, "ts": iso(c.now), "msg": message, **place}, separators=(",", ":")))


program = Flagd()
