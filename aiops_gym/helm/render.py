"""Templates of a chart made into objects: Go templates with the functions that charts use most."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson
import yaml

from aiops_gym import caches
from aiops_gym.clients import as_yaml, goyaml
from aiops_gym.helm import texts
from aiops_gym.helm.charts import Chart
from aiops_gym.helm.errors import HelmError
from aiops_gym.helm.values import coalesce_values
from aiops_gym.sim.golang import functions as gofunctions
from aiops_gym.sim.golang import template as gotemplate
from aiops_gym.sim.golang.functions import MISSING, TemplateError, is_true
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.golang.template import Room, render_nodes
from aiops_gym.sim.golang.template_parser import BLOCKS, KNOWN, Block, Nodes, parse_nodes
from aiops_gym.sim.golang.text import display
from aiops_gym.types import Json

DEEPEST = 50
"""Templates that include each other."""

_KINDS = """
    PriorityClass Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget
    ServiceAccount Secret SecretList ConfigMap StorageClass PersistentVolume PersistentVolumeClaim
    CustomResourceDefinition ClusterRole ClusterRoleList ClusterRoleBinding ClusterRoleBindingList Role RoleList
    RoleBinding RoleBindingList Service DaemonSet Pod ReplicationController ReplicaSet Deployment
    HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress APIService MutatingWebhookConfiguration
    ValidatingWebhookConfiguration
"""
KINDS = _KINDS.split()
"""The order in which Helm installs."""


class Manifest(NamedTuple):
    """One object of a release: the template it comes from, its text, and what the text says."""

    source: str
    text: str
    obj: Mapping[str, Json]


class _Charting:
    """Templates of one chart."""

    def __init__(self, chart: Chart) -> None:
        self.depth = 0
        self.room = Room()
        self.names = frozenset({*KNOWN, *FUNCTIONS, "include", "tpl", "template"})
        self.parsed: dict[str, Nodes] = {path: self.parse(text) for path, text in chart.templates.items()}
        self.defined: dict[str, Nodes] = {}
        for nodes in self.parsed.values():
            self.define(nodes)

    def parse(self, text: str) -> Nodes:
        """The nodes of a text. Raises TemplateError."""
        return parse_nodes(text, (*BLOCKS, "define"), self.names)

    def define(self, nodes: Nodes) -> None:
        """Remember named templates."""
        for node in nodes:
            if isinstance(node, Block) and node.word == "define":
                self.defined[str(node.pipe.commands[0].operands[0].value)] = node.body

    def call(self, name: str, arguments: list[Any]) -> Any:
        """Call a function of a template. Raises TemplateError."""
        if name == "include":
            return self.include(*arguments)
        if name == "tpl":
            return self.render(self.parse(str(arguments[0])), arguments[1])
        function = FUNCTIONS.get(name)
        if function is None:
            return gofunctions.call(name, arguments)
        try:
            return function(*arguments)
        except TypeError:
            raise TemplateError(f"wrong number of args for {name}: got {len(arguments)}") from None

    def include(self, name: str, data: Json) -> str:
        """The text of a named template."""
        if name not in self.defined:
            raise TemplateError(f"error calling include: template: no template {go_quote(str(name))} associated")
        return self.render(self.defined[name], data)

    def render(self, nodes: Nodes, data: Json) -> str:
        """The text of nodes."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise TemplateError("rendering template has a nested reference name")
        try:
            return render_nodes(nodes, data, self.call, self.room).replace("<no value>", "")
        finally:
            self.depth -= 1


def render_chart(chart: Chart, values: Mapping[str, Json], release: Mapping[str, Json]) -> list[Manifest]:
    """The objects of a chart in Helm's order. Raises HelmError.

    Args:
        chart: the chart.
        values: settings given above the chart's.
        release: what templates see as `.Release`.
    """
    parts = (chart.metadata, chart.values, chart.templates, values, release)
    return [*_rendered(_Asked(orjson.dumps(parts), chart, values, release))]


@dataclass(frozen=True)
class _Asked:
    """A chart with its settings, told apart by their text."""

    key: bytes
    chart: Chart = field(compare=False)
    values: Mapping[str, Json] = field(compare=False)
    release: Mapping[str, Json] = field(compare=False)


@caches.function(32, "rendering a chart")
def _rendered(asked: _Asked) -> tuple[Manifest, ...]:
    chart, values, release = asked.chart, asked.values, asked.release
    about = {key[:1].upper() + key[1:]: value for key, value in chart.metadata.items()}
    cluster = {"KubeVersion": {"Version": "v1.32.1", "Major": "1", "Minor": "32", "GitVersion": "v1.32.1"}}
    seen = {
        "Values": coalesce_values(chart.values, values),
        "Chart": about,
        "Release": release,
        "Capabilities": cluster,
    }
    found: list[Manifest] = []
    path = ""
    try:
        charting = _Charting(chart)
        for path, nodes in sorted(charting.parsed.items()):
            if path.rpartition("/")[2].startswith("_") or path.endswith("NOTES.txt"):
                continue
            source = f"{chart.name}/{path}"
            place = {"Name": source, "BasePath": f"{chart.name}/templates"}
            found += _manifests(source, charting.render(nodes, {**seen, "Template": place}))
    except TemplateError as error:
        text = str(error).removeprefix("template: output:")
        raise HelmError(f"template: {chart.name}/{path}: {text}") from None
    except RecursionError:
        raise HelmError(f"template: {chart.name}/{path}: {gotemplate.TOO_DEEP}") from None
    rank = {kind: at for at, kind in enumerate(KINDS)}
    return tuple(sorted(found, key=lambda m: rank.get(str(m.obj["kind"]), len(rank))))


_BETWEEN = re.compile(r"(?:^|\s*\n)---\s*")


def split_documents(text: str) -> list[str]:
    """The documents of a text of several."""
    return [part.strip() for part in _BETWEEN.split(text.strip()) if part.strip()]


def _manifests(source: str, text: str) -> list[Manifest]:
    found = []
    for part in split_documents(text):
        try:
            obj = goyaml.load(f"{part}\n")
        except yaml.YAMLError as error:
            raise HelmError(f"YAML parse error on {source}: {texts.explain_error(error)}") from None
        if obj is None:
            continue
        if not isinstance(obj, dict) or not obj.get("kind") or not obj.get("apiVersion"):
            raise HelmError(
                "unable to build kubernetes objects from release manifest: error validating data: kind not set"
            )
        found.append(Manifest(source, part, obj))
    return found


def join_manifests(manifests: list[Manifest]) -> str:
    """The manifest of a release."""
    return "".join(f"---\n# Source: {m.source}\n{m.text}\n" for m in manifests)


def _default(usual: Any, value: Any = MISSING) -> Any:
    return value if is_true(value) else usual


def _indent(count: int, text: Any) -> str:
    lines = str(text).split("\n")
    gofunctions.bounded(*lines, more=max(0, int(count)) * len(lines))
    blanks = " " * int(count)
    return "\n".join(blanks + line for line in lines)


def _replaced(old: str, new: str, text: Any) -> str:
    plain = _text(text)
    gofunctions.bounded(plain, more=plain.count(old) * len(new))
    return plain.replace(old, new)


def _joined(sign: str, values: Iterable[Any]) -> str:
    parts = list(map(_text, values))
    gofunctions.bounded(*parts, more=len(parts) * len(sign))
    return sign.join(parts)


def _integer(value: Any) -> int:
    try:
        return int(float(value)) if is_true(value) else 0
    except (TypeError, ValueError):
        return 0


def _required(message: str, value: Any = MISSING) -> Any:
    if value is MISSING or value is None or value == "":
        raise TemplateError(f"error calling required: {message}")
    return value


def _text(value: Any) -> str:
    return "" if value is MISSING or value is None else display(value)


def _dict(*pairs: Any) -> dict[str, Any]:
    return {str(key): value for key, value in zip(pairs[::2], pairs[1::2], strict=False)}


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "default": _default,
    "required": _required,
    "quote": lambda *values: " ".join(go_quote(_text(v)) for v in values if v is not MISSING and v is not None),
    "squote": lambda *values: " ".join(f"'{_text(v)}'" for v in values),
    "indent": _indent,
    "nindent": lambda count, text: "\n" + _indent(count, text),
    "trim": lambda text: _text(text).strip(),
    "trimSuffix": lambda end, text: _text(text).removesuffix(end),
    "trimPrefix": lambda start, text: _text(text).removeprefix(start),
    "trunc": lambda count, text: _text(text)[:count] if count >= 0 else _text(text)[count:],
    "upper": lambda text: _text(text).upper(),
    "lower": lambda text: _text(text).lower(),
    "title": lambda text: _text(text).title(),
    "replace": _replaced,
    "contains": lambda part, text: part in _text(text),
    "hasPrefix": lambda start, text: _text(text).startswith(start),
    "hasSuffix": lambda end, text: _text(text).endswith(end),
    "toString": _text,
    "int": _integer,
    "int64": _integer,
    "add": lambda *values: sum(map(_integer, values)),
    "list": lambda *values: list(values),
    "dict": _dict,
    "hasKey": lambda data, key: isinstance(data, dict) and key in data,
    "get": lambda data, key: data.get(key, ""),
    "keys": list,
    "ternary": lambda yes, no, test: yes if test else no,
    "empty": lambda value: not is_true(value),
    "coalesce": lambda *values: next((v for v in values if is_true(v)), None),
    "join": _joined,
    "toYaml": lambda value: as_yaml.text(None if value is MISSING else value).removesuffix("\n"),
    "toJson": lambda value: json.dumps(None if value is MISSING else value, separators=(",", ":"), sort_keys=True),
    "b64enc": lambda text: base64.b64encode(_text(text).encode()).decode(),
    "b64dec": lambda text: base64.b64decode(_text(text)).decode("utf-8", "replace"),
}
"""Those of the Sprig library that charts use most, and Helm's own."""
