"""What a tool is, which ones there are, and how a call reaches one.

A domain is a folder beside this file; each module in it holds one typed function under its own name, marked `read`,
`write` or `action`. Its docstring is the manual and its signature the schema. The domain's folder `submit` holds one
module a task: the form of that task's answer, or a folder of tools where it is answered in parts. A folder whose tools
follow from data computes them as `BOXES`.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from aiops_gym.errors import CatalogError, ToolError
from aiops_gym.scan import list_modules, list_parts, load_modules, scan, scan_one
from aiops_gym.types import Call, Result

_WORDS = {str: "text in quotes", int: "a whole number", float: "a number", type(None): "None", list: "a list"}

SETS = ("basic", "all")
"""Which tools an environment offers: those without `extra`, or all."""

TELEMETRY_SECONDS = 0.3
"""What one question to the cluster or its telemetry costs."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a tool works with.

    Attributes:
        backend: the world of the tool's domain: a `backends.base.Backend` for incidents, a `backends.recorded.Recorded`
            for recorded telemetry.
        dedup: block size of the log de-duplication, 0 = off.
        limit: characters of a tool's output that the agent is shown, None for all of them.
    """

    backend: Any
    dedup: int = 0
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """One function that an agent may call.

    Attributes:
        kind: `read`, `write` or `action`.
        function: takes a `Context` and then what the agent gives.
        signature: of what the agent gives.
        types: what each parameter must be.
        order: names of the parameters, none where one takes several values.
        required: how many of them must be given.
        extra: offered only to who asks for all tools.
    """

    name: str
    kind: str
    function: Callable[..., Result]
    signature: inspect.Signature
    types: Mapping[str, Any]
    order: tuple[str, ...]
    required: int
    extra: bool = False

    @property
    def usage(self) -> str:
        """How to call it, `get_logs(namespace: str, service: str)`."""
        return f"{self.name}{self.signature}".replace("typing.", "")

    @property
    def manual(self) -> str:
        """Signature and docstring."""
        return f"{self.usage}\n{inspect.getdoc(self.function) or ''}".rstrip()


def read(function: Callable[..., Result]) -> Tool:
    """Mark a tool that only looks."""
    return _tool("read", function)


def write(function: Callable[..., Result]) -> Tool:
    """Mark a tool that changes one thing."""
    return _tool("write", function)


def action(function: Callable[..., Result]) -> Tool:
    """Mark a tool that may do anything."""
    return _tool("action", function)


def extra(tool: Tool) -> Tool:
    """Offer a tool only to who asks for all of them."""
    return replace(tool, extra=True)


def _tool(kind: str, function: Callable[..., Result]) -> Tool:
    hints = typing.get_type_hints(function)
    given = list(inspect.signature(function).parameters.values())[1:]
    shown = [parameter.replace(annotation=hints[parameter.name]) for parameter in given]
    types = {parameter.name: hints[parameter.name] for parameter in shown}
    order = tuple(types) if all(p.kind is p.POSITIONAL_OR_KEYWORD for p in shown) else ()
    required = sum(p.default is p.empty for p in shown)
    return Tool(function.__name__, kind, function, inspect.Signature(shown), types, order, required)


@cache
def domains() -> tuple[str, ...]:
    """The domains, sorted."""
    return tuple(name for name, module in load_modules("aiops_gym.tools").items() if hasattr(module, "__path__"))


@cache
def toolbox(name: str, tools: str = "basic") -> Mapping[str, Tool]:
    """The tools of a task (with its `submit`) or of a domain, by name.

    The domain `live` has no `submit`, as each task has its own; those of recorded telemetry pose one task.

    Args:
        tools: which of them, of `SETS`.

    Raises:
        CatalogError: for a name that is neither, and for another set.
    """
    if tools not in SETS:
        raise CatalogError(f"the tools are {' or '.join(SETS)}, not {tools!r}")
    known: list[str] = []
    for domain in domains():
        offered = _offered(f"aiops_gym.tools.{domain}", domain)
        if name in offered:
            return {each: tool for each, tool in offered[name]().items() if tools == "all" or not tool.extra}
        known += offered
    raise CatalogError(f"there is no task or domain {name!r}; there are {', '.join(known)}")


def _offered(place: str, domain: str) -> Mapping[str, Callable[[], Mapping[str, Tool]]]:
    """What a folder offers: its domain and the tasks of that, or what its package computes as `BOXES`."""
    computed = scan("aiops_gym.tools", "BOXES").get(domain)
    if computed is not None:
        return computed  # type: ignore[no-any-return]
    tasks = {task: partial(_tools, place, task) for task in list_modules(f"{place}.submit")}
    return {domain: partial(_tools, place, ""), **tasks}


def _tools(place: str, task: str) -> Mapping[str, Tool]:
    tools = {tool: _marked(scan_one(place, tool, tool)) for tool in list_modules(place) if tool != "submit"}
    if not task:
        return tools
    parts = list_parts(f"{place}.submit.{task}")
    if not parts:
        return {**tools, "submit": _marked(scan_one(f"{place}.submit", task, "submit"))}
    return {**tools, **{part: _marked(scan_one(f"{place}.submit.{task}", part, part)) for part in parts}}


def get_actions(task_or_domain: str, kind: str | None = None, tools: str = "basic") -> dict[str, str]:
    """What an agent may call: name -> signature and docstring.

    Args:
        task_or_domain: `detection`, `localization`, `analysis`, `mitigation`, `incident`, the domain `live` without
            submit, or `openrca_bank`, `openrca_market`, `openrca_telecom`.
        kind: only those marked `read`, `write` or `action`.
        tools: `basic` or `all`, as environments take it.

    >>> sorted(get_actions("detection", "read"))
    ['get_logs', 'get_metrics', 'get_traces', 'read_metrics', 'read_traces']
    >>> sorted(get_actions("openrca_bank"))
    ['get_logs', 'get_metric_app', 'get_metric_container', 'get_traces', 'submit']
    """
    if kind not in (None, "read", "write", "action"):
        raise CatalogError(f"a tool is marked read, write or action, not {kind!r}")
    found = toolbox(task_or_domain.lower(), tools)
    return {name: tool.manual for name, tool in sorted(found.items()) if kind in (None, tool.kind)}


def run(call: Call, tools: Mapping[str, Tool], context: Context) -> Result:
    """Carry out a call.

    Raises:
        ToolError: an unknown name, or arguments that do not fit, with what would be right.
    """
    tool = tools.get(call.name)
    if tool is None:
        raise ToolError(f"Invalid action: {call.name[:80]}\nThe APIs are: {', '.join(sorted(tools))}.", "unknown_api")
    given = _bind(tool, call)
    return tool.function(context, **given)


def _bind(tool: Tool, call: Call) -> dict[str, Any]:
    given = _given(tool, call)
    if tool.name != "submit":  # What an answer may be is the task's to say.
        for name, value in given.items():
            _check(tool, name, value)
    return given


def _given(tool: Tool, call: Call) -> dict[str, Any]:
    """Arguments by parameter."""
    args = call.args
    if not call.kwargs and tool.required <= len(args) <= len(tool.order):
        return dict(zip(tool.order, args, strict=False))  # what binding would give, at a hundredth of its cost
    try:
        return tool.signature.bind(*args, **call.kwargs).arguments
    except TypeError as error:
        code = "submission" if tool.name == "submit" else "arguments"
        raise ToolError(f"Error: {tool.name}: {error}. Write {tool.usage}.", code) from None


def _check(tool: Tool, name: str, value: Any) -> None:
    wanted = tool.types[name]
    if typing.get_origin(wanted) in (list, dict):  # what lies in them is the tool's to say
        wanted = typing.get_origin(wanted)
    # A bool is an int to Python, and to nobody else.
    if not isinstance(value, wanted) or isinstance(value, bool):
        words = " or ".join(_WORDS[each] for each in typing.get_args(wanted) or (wanted,))
        got = type(value).__name__
        raise ToolError(f"Error: {tool.name}: {name} must be {words}, not {got}. Write {tool.usage}.")


def _marked(tool: Tool) -> Tool:
    assert isinstance(tool, Tool)
    return tool
