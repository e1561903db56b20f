"""json, yaml, jsonpath and go-template print what the real kubectl printed for the same object."""

import contextlib
import json
import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from sides import kubectl

from aiops_gym.clients import as_yaml
from aiops_gym.kubectl.output import as_json, jsonpath
from aiops_gym.kubectl.output.table import lay_out
from aiops_gym.sim.golang import template as gotemplate
from aiops_gym.sim.kernel.objects import Obj

GOLDENS = Path(__file__).parent / "goldens"
NASTY = json.loads((GOLDENS / "nasty.json").read_text())
TEMPLATES = json.loads((GOLDENS / "templates.json").read_text())

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(alphabet=st.characters(codec="utf-8"), max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc-_.1yn ", min_size=1, max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


def test_yaml_of_nasty_values_is_kubectls():
    assert as_yaml.text(NASTY["object"]) == NASTY["yaml"]


def test_json_of_nasty_values_is_kubectls():
    assert as_json.text(NASTY["object"]) == NASTY["json"]


@pytest.mark.parametrize(("kind", "template", "text", "error"), TEMPLATES["cases"])
def test_templates_print_what_kubectl_printed(kind, template, text, error):
    module = jsonpath if kind == "jsonpath" else gotemplate
    try:
        assert module.parse(template).render(TEMPLATES["object"]) == text and not error
    except (jsonpath.JsonPathError, gotemplate.TemplateError) as problem:
        assert error and str(problem) in error


@given(values)
@settings(max_examples=150, deadline=None)
def test_yaml_reads_back_as_what_was_printed(value):
    class Loader(yaml.SafeLoader):
        pass

    plain = json.loads(json.dumps({"spec": value}))
    if '"="' in json.dumps(plain):  # kubectl writes it plain, and PyYAML has no idea what that is
        return
    if any(char in json.dumps(plain, ensure_ascii=False) for char in "\x85\u2028\u2029\ufeff\r"):
        return
    assert yaml.load(as_yaml.text(plain), Loader) == plain


@given(values)
@settings(max_examples=150, deadline=None)
def test_json_reads_back_as_what_was_printed(value):
    assert json.loads(as_json.text({"spec": value})) == {"spec": value}


@given(st.text(alphabet="{}[]().'\"@?$*,:-=<>! abrnged\\n19", max_size=24))
@settings(max_examples=300, deadline=None)
def test_any_template_renders_or_is_refused(text):
    for module, error in ((jsonpath, jsonpath.JsonPathError), (gotemplate, gotemplate.TemplateError)):
        with contextlib.suppress(error):
            module.parse("{" + text).render(TEMPLATES["object"])


def test_managed_fields_are_left_out_and_texts_are_kept_with_the_object():
    pod = Obj({"kind": "Pod", "metadata": {"name": "a", "managedFields": [{}]}})
    assert "managedFields" not in as_json.text(pod) + as_yaml.text(pod) + as_json.format_item(
        pod
    ) + as_yaml.format_item(pod)
    assert as_yaml.text(pod) is as_yaml.text(pod)


def test_columns_are_at_least_six_wide_and_three_apart():
    assert lay_out([["A", "LONGER-ONE", "C"], ["1", "2", "3"]]) == "A     LONGER-ONE   C\n1     2            3\n"


def test_a_tab_in_a_cell_starts_a_column_of_its_own():
    assert lay_out([["AAAA", "x\ty"], ["B", "z"]]) == "AAAA   x     y\nB      z\n"


@pytest.mark.skipif(kubectl() is None, reason="the oracle is a real kubectl")
def test_the_goldens_are_what_a_real_kubectl_prints(tmp_path):
    source = tmp_path / "x.json"
    source.write_text(json.dumps(NASTY["object"]))
    command = [kubectl().path, "patch", "--local", "-f", str(source), "--type=merge", "-p", "{}", "-o", "yaml"]
    printed = subprocess.run(command, capture_output=True, check=True, env={"HOME": "/"})
    assert printed.stdout.decode() == NASTY["yaml"]
