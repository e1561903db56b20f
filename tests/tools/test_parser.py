"""What counts as one call in one fenced block, and that everything else is refused politely."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aiops_gym.errors import ToolError
from aiops_gym.tools import parse
from aiops_gym.tools.literals import LiteralError, _Reader, read_call
from aiops_gym.types import Call

TEXTS = st.text(st.characters(exclude_categories=("Cs",)))
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4))
NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,12}", fullmatch=True)
CALLS = st.builds(Call, NAMES, st.lists(VALUES, max_size=3).map(tuple), st.dictionaries(NAMES, VALUES, max_size=3))


def action(call: str) -> str:
    """As AIOpsLab's own tests write it: a line of text, and fences indented by eight blanks."""
    return f"\n        Action:```\n        {call}\n        ```\n        "


UPSTREAM = [
    ("myApi()", "myApi", (), {}),
    ("myApi(10)", "myApi", (10,), {}),
    ("myApi(10, 'error')", "myApi", (10, "error"), {}),
    (
        'exec_shell("kubectl get pods -n test-social-network")',
        "exec_shell",
        ("kubectl get pods -n test-social-network",),
        {},
    ),
    (
        r"""exec_shell("kubectl patch svc user-service -n x --type='json' -p='[{\"op\": \"replace\"}]'")""",
        "exec_shell",
        ("kubectl patch svc user-service -n x --type='json' -p='[{\"op\": \"replace\"}]'",),
        {},
    ),
    ("submit('yes')", "submit", ("yes",), {}),
    ("submit('no')", "submit", ("no",), {}),
    ("submit(has_anomaly='yes')", "submit", (), {"has_anomaly": "yes"}),
    ("submit(['service1','service2'])", "submit", (["service1", "service2"],), {}),
    ("submit(faulty_components=['s1','s2','s3'])", "submit", (), {"faulty_components": ["s1", "s2", "s3"]}),
    (
        "submit({'system_level':'xxx','fault_type':'yyy'})",
        "submit",
        ({"system_level": "xxx", "fault_type": "yyy"},),
        {},
    ),
    ("submit(analysis={'fault_type':'yyy'})", "submit", (), {"analysis": {"fault_type": "yyy"}}),
    ("submit()", "submit", (), {}),
]


@pytest.mark.parametrize(("text", "name", "args", "kwargs"), UPSTREAM)
def test_the_calls_of_aiopslabs_parser_tests_are_read_with_indented_fences(text, name, args, kwargs):
    assert parse(action(text)) == Call(name, args, kwargs)


def test_a_shell_command_without_an_api_is_refused():
    with pytest.raises(ToolError, match="Error parsing response"):
        parse(action('echo "Hello World"'))


def test_text_around_the_block_is_a_thought_and_strict_refuses_it():
    text = f"Thought: look.\n{action('submit()')}\nThat is all."
    assert parse(text).name == "submit"
    assert parse(action("submit()").replace("Action:", ""), strict=True).name == "submit"
    with pytest.raises(ToolError, match="without any text around"):
        parse(text, strict=True)


ACCEPTED = [
    ("```python\nsubmit('a')\n```", ("a",)),
    ("```  \nsubmit('a')\n```", ("a",)),
    ("```\r\nsubmit('a')\r\n```\r\n", ("a",)),
    ("```\n\nsubmit('a')\n\n```", ("a",)),
    ("```\nsubmit('a') # done (ok)\n```", ("a",)),
    ("```\n# first (this)\nsubmit('a')\n```", ("a",)),
    ("```\nsubmit('a')\n``` and so on", ("a",)),
    ('```\nsubmit("""a""")\n```', ("a",)),
    ("```\nsubmit('a\nb')\n```", ("a\nb",)),
    ('```\nsubmit("a" "b")\n```', ("ab",)),
    ("```\nsubmit('\\x60\\u00e9\\n\\d')\n```", ("`é\n\\d",)),
    ("```\nsubmit(r'\\n')\n```", ("\\n",)),
    ("```\nsubmit(True, None, False, 1.5, -5)\n```", (True, None, False, 1.5, -5)),
    ("```\nsubmit((1, 2))\n```", ([1, 2],)),
    ("```\nsubmit([1, {'a': [1, 2, {'b': None}]}],)\n```", ([1, {"a": [1, 2, {"b": None}]}],)),
    ('```\nsubmit("echo $(date) (x)")\n```', ("echo $(date) (x)",)),
    ('```\nsubmit("echo \\"hi\\"")\n```', ('echo "hi"',)),
    ('```\nsubmit("foo --command=bar")\n```', ("foo --command=bar",)),
    ("```\nsubmit(\n    'a',\n)\n```", ("a",)),
    ("```\nsubmit(None)\n```", (None,)),
    ('```\nsubmit("None")\n```', ("None",)),
]


@pytest.mark.parametrize(("text", "args"), ACCEPTED)
def test_these_blocks_are_read(text, args):
    assert parse(text).args == args


REFUSED = [
    "",
    "submit()",
    "```submit()```",
    "```\n```",
    "```\n\n```",
    "```\nsubmit()",
    "```\nsubmit()\n```\n```\nsubmit()\n```",
    "```\nsubmit()\nget_logs()\n```",
    "```\nsubmit(); submit()\n```",
    "```\nAction: submit('Yes')\n```",
    "```\nexec_shell(ls -l)\n```",
    '```\nexec_shell("ls)\n```',
    "```\nx(1+2)\n```",
    "```\nx(foo)\n```",
    "```\nx({1, 2})\n```",
    "```\nx(f'a')\n```",
    "```\nx(b'a')\n```",
    "```\nx(*[1])\n```",
    "```\nx(**{'a': 1})\n```",
    "```\nx([(1, 2)])\n```",
    "```\nx(k=(1, 2))\n```",
    "```\nx(1e999)\n```",
    "```\nx(nan)\n```",
    "```\nx(1j)\n```",
    "```\nx('\\ud800')\n```",
    "```\nx('\ud800')\n```",
    "```\nx('\\N{NO SUCH NAME}')\n```",
    "```\nx('\\x6')\n```",
    "```\nx(a=1, a=2)\n```",
    "```\nx(a=1, 2)\n```",
    "```\nx({[]: 1})\n```",
    "```\nx.y()\n```",
    "```\nx()()\n```",
    "```\n" + "x(" + "[" * 2000 + "]" * 2000 + ")\n```",
    "```\nx(" + "9" * 5000 + ")\n```",
    "```\nx('" + "a" * 70_000 + "')\n```",
    None,
    5,
    ["```\nsubmit()\n```"],
]


@pytest.mark.parametrize("text", REFUSED)
def test_these_are_refused_with_a_reason_and_an_example(text):
    with pytest.raises(ToolError) as refusal:
        parse(text)
    assert refusal.value.code == "parse"
    assert "```\nexec_shell(" in str(refusal.value)
    assert len(str(refusal.value)) < 400


@given(CALLS)
@example(Call("f", ("```\n`x`",)))
@example(Call("f", ("\\", '\\"', "'\"", "a\r\nb\x00\x85\u2028")))
@example(Call("f", (-0.0, 1e22, 5e-324, -(10**30))))
@settings(max_examples=400, deadline=None)
def test_a_call_survives_being_written_and_read(call):
    assert parse(str(call)) == call


@given(st.text())
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_call_or_a_refusal(text):
    for wrapped in (text, f"```\n{text}\n```", f"```\nsubmit({text})\n```", f"```\nsubmit('{text}')\n```"):
        try:
            assert isinstance(parse(wrapped), Call)
        except ToolError as refusal:
            assert refusal.code == "parse"


@given(st.text(st.sampled_from("ab0x\\'\"\n\t`nuxN{}r#()[]{},:=-+.eE 1_"), max_size=40))
@settings(max_examples=600, deadline=None)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_what_python_reads_as_a_literal_is_read_as_the_same_value(source):
    try:
        expected: Any = ast.literal_eval(f"[{source}\n]")
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return
    try:
        read = read_call(f"f(a=[{source}\n])").kwargs["a"]
    except LiteralError:
        return
    assert repr(read) == repr(expected)


@given(st.text(st.sampled_from("f1_()'\"\\\n\r\té #x,"), max_size=12).map(lambda inner: f"f{inner}"))
@example('1f("x")')
@example("f('')")
@example('f("""x""")')
@example("f('a' 'b')")
@settings(max_examples=400, deadline=None)
def test_the_short_way_reads_what_the_long_way_reads(text):
    def outcome(read):
        try:
            return read(text)
        except LiteralError as error:
            return str(error)

    assert outcome(read_call) == outcome(lambda text: _Reader(text).call())


def test_a_megabyte_is_refused_before_it_is_looked_at():
    with pytest.raises(ToolError, match="at most 65,536 characters"):
        parse("```\n" * 300_000)


def test_backslashes_without_end_take_linear_time():
    with pytest.raises(ToolError):
        parse("```\nf('" + "\\\\" * 30_000 + "\n```")


@pytest.mark.parametrize("number", ["1" + "0" * 400, "-" + "9" * 4000])
def test_a_whole_number_of_any_size_is_one(number):
    assert parse(f"```\nfoo({number})\n```").args == (int(number),)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 5000])
def test_a_number_beyond_all_bounds_is_refused(number):
    with pytest.raises(ToolError, match="number"):
        parse(f"```\nfoo({number})\n```")
