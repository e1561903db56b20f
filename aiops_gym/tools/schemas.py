"""The tools as JSON schemas, for models and frameworks that call tools by their own format.

What a tool takes is said once, in its signature and docstring; `parser.write_call` turns a call back into action text.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.errors import unknown
from aiops_gym.tools.registry import Tool, toolbox
from aiops_gym.types import Json

SHAPES = ("openai", "anthropic", "mcp")

_NAMES = {str: "string", int: "integer", float: "number", type(None): "null", dict: "object", list: "array"}
_ARGUMENT = re.compile(r"^    (\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)


def get_schemas(task_or_domain: str, tools: str = "basic", shape: str = "openai") -> list[Json]:
    """What an agent may call in a task, as `get_actions` has it, in the shape of OpenAI, Anthropic or MCP.

    >>> [each["name"] for each in get_schemas("openrca_bank", shape="mcp")]
    ['get_logs', 'get_metric_app', 'get_metric_container', 'get_traces', 'submit']
    """
    return reshape(list_schemas(toolbox(task_or_domain.lower(), tools)), shape)


def list_schemas(tools: Mapping[str, Tool], short: bool = False) -> list[Json]:
    """Tools, sorted by name, in OpenAI's shape; of each one sentence if `short`. The data is the caller's own."""
    found: list[Json] = [{"type": "function", "function": _describe(tools[name])} for name in sorted(tools)]
    for each in found if short else ():
        each["function"]["description"] = shorten_manual(each["function"]["description"])
    return found


def shorten_manual(about: str) -> str:
    """The first sentence of what is said of a tool.

    >>> shorten_manual("Collect the logs of a service: all of them.\\n\\nRepeated lines are shown once.")
    'Collect the logs of a service: all of them.'
    """
    return f"{' '.join(about.split()).partition('. ')[0].rstrip('.')}."


def reshape(schemas: Sequence[Json], shape: str) -> list[Json]:
    """The same tools in another shape; those given are in OpenAI's.

    >>> reshape(get_schemas("mitigation")[-1:], "anthropic")[0]["input_schema"]
    {'type': 'object', 'properties': {}, 'required': [], 'additionalProperties': False}
    """
    if shape not in SHAPES:
        raise unknown("shape", shape, SHAPES)
    if shape == "openai":
        return list(schemas)
    key = "input_schema" if shape == "anthropic" else "inputSchema"
    plain = (each["function"] for each in schemas)
    return [{"name": each["name"], "description": each["description"], key: each["parameters"]} for each in plain]


def _describe(tool: Tool) -> Json:
    about, _, rest = (inspect.getdoc(tool.function) or "").partition("\n\nArgs:\n")
    said = {name: " ".join(text.split()) for name, text in _ARGUMENT.findall(rest)}
    given = tool.signature.parameters.values()
    parameters = {
        "type": "object",
        "properties": {each.name: _property(each, tool.types[each.name], said.get(each.name, "")) for each in given},
        "required": [each.name for each in given if each.default is each.empty],
        "additionalProperties": False,
    }
    return {"name": tool.name, "description": about, "parameters": parameters}


def _property(parameter: inspect.Parameter, wanted: Any, about: str) -> Json:
    found = {**_type(wanted), **({"description": about} if about else {})}
    return found if parameter.default in (parameter.empty, None) else {**found, "default": parameter.default}


def _type(wanted: Any) -> Json:
    """The schema of a Python type.

    >>> _type(int | None), _type(list[str])
    ({'anyOf': [{'type': 'integer'}, {'type': 'null'}]}, {'type': 'array', 'items': {'type': 'string'}})
    """
    origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_type(each) for each in inner]}
    found = {"type": _NAMES[origin or wanted]}
    value = inner[-1] if inner else Any
    if value is Any:
        return found
    return {**found, "items" if origin is list else "additionalProperties": _type(value)}
