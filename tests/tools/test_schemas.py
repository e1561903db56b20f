"""Tools as JSON schemas, and their calls as text: nothing is lost or added, and nothing becomes another call."""

import inspect
import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aiops_gym.envs.naming import ENVS
from aiops_gym.errors import ArgumentError, ToolError
from aiops_gym.tools import get_actions, get_schemas, parse, toolbox, write_call
from aiops_gym.tools.registry import SETS
from aiops_gym.types import Call

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30) | st.text("`\\'\"\n\r\x00#(){}[]=,x6 ", max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)
WORDS = st.from_regex(r"[^\W\d]\w{0,20}", fullmatch=True)


def same(one, other):
    """Equal in type, too: 1, 1.0 and True are not the same argument."""
    return repr(one) == repr(other)


@given(WORDS, st.dictionaries(WORDS, VALUES, max_size=4))
@example("exec_shell", {"command": "echo `date` '\"\\x60\\"})
@example("submit", {"None": -0.0, "True": 10**300})
def test_a_call_as_text_is_read_as_the_very_same_call(name, arguments):
    call = parse(write_call(name, arguments), strict=True)
    assert call == Call(name, (), arguments)
    assert same(call.kwargs, arguments)


ODD = st.text(max_size=30) | st.text('submit("Yes")#`\n =,;.{}\'', max_size=30)
ANYTHING = VALUES | st.floats() | st.text(st.characters(categories=["Cs"]), min_size=1, max_size=3)


@given(ODD, st.dictionaries(ODD, ANYTHING, max_size=3))
@example('submit("Yes")#', {})
@example('submit("Yes")\n```\n', {"a": 1})
@example("submit", {'a=1, has_anomaly="No")#': 1})
@example("functions.exec_shell", {"command": "ls"})
@example("submit", {"has_anomaly": 10**5000})
@example("submit", {"has_anomaly": float("nan")})
def test_what_no_text_can_say_is_refused_and_is_never_another_call(name, arguments):
    try:
        call = parse(write_call(name, arguments))
    except ToolError as error:
        assert error.code == "parse"
    else:
        assert call.name == name
        assert same(call.kwargs, arguments)


def test_values_that_are_nested_too_deep_are_refused():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ToolError):
        parse(write_call("submit", {"faulty_components": deep}))


def test_a_schema_is_what_signature_and_docstring_say():
    (shell,) = [each["function"] for each in get_schemas("detection") if each["function"]["name"] == "exec_shell"]
    assert shell["description"].startswith("Run a command in a bash shell with kubectl and the usual tools")
    assert shell["description"].endswith("commands that open an editor or wait for a person are refused.")
    assert shell["parameters"] == {
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "the command line, in quotes."},
            "timeout": {"type": "integer", "description": "seconds after which it is ended, 1 to 900.", "default": 30},
        },
        "required": ["command"],
        "additionalProperties": False,
    }


def test_types_are_those_of_the_signature():
    parts = {name: get_schemas(name)[-1]["function"]["parameters"] for name in ("localization", "analysis")}
    names = parts["localization"]["properties"]["faulty_components"]
    assert (names["type"], names["items"]) == ("array", {"type": "string"})
    answer = parts["analysis"]["properties"]["analysis"]
    assert answer["anyOf"] == [{"type": "object", "additionalProperties": {"type": "string"}}, {"type": "null"}]
    assert parts["analysis"]["required"] == []


@pytest.mark.parametrize("tools", SETS)
@pytest.mark.parametrize("task", ENVS)
def test_every_tool_has_a_schema_that_any_server_takes_and_every_argument_is_described(task, tools):
    schemas = [each["function"] for each in json.loads(json.dumps(get_schemas(task, tools)))]
    assert [each["name"] for each in schemas] == list(get_actions(task, tools=tools))
    for each in schemas:
        tool = toolbox(task, tools)[each["name"]]
        properties = each["parameters"]["properties"]
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", each["name"])
        assert each["description"]
        assert list(properties) == list(tool.signature.parameters)
        assert [name for name, each in properties.items() if not each.get("description")] == []
        said = " ".join(inspect.getdoc(tool.function).split())
        assert all(each["description"] in said for each in properties.values())


HIDDEN = ("reset", "score", "seed", "solution", "snapshot", "restore", "fork", "info", "problem", "reward")


@pytest.mark.parametrize("task", ENVS)
def test_no_tool_is_the_trainers(task):
    for each in get_schemas(task, "all", "mcp"):
        words = {each["name"], *each["name"].split("_"), *each["inputSchema"]["properties"]}
        assert not words & set(HIDDEN)


def test_the_shapes_say_the_same():
    openai, anthropic, mcp = (get_schemas("openrca_market", shape=shape) for shape in ("openai", "anthropic", "mcp"))
    assert [each["type"] for each in openai] == len(openai) * ["function"]
    assert [each["function"]["parameters"] for each in openai] == [each["input_schema"] for each in anthropic]
    assert [each["input_schema"] for each in anthropic] == [each["inputSchema"] for each in mcp]
    assert [sorted(each) for each in mcp] == len(mcp) * [["description", "inputSchema", "name"]]
    with pytest.raises(ArgumentError, match="did you mean openai"):
        get_schemas("detection", shape="OpenAI")
