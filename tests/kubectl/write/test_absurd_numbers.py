"""Numbers that no integer of the API server holds, and words where numbers belong, as kubectl 1.32 takes them."""

from __future__ import annotations

import json

import pytest

from aiops_gym.clients import as_yaml, gojson
from aiops_gym.kubectl.output import as_json
from aiops_gym.sim.golang import functions as gofunctions

CONFIG = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"n":%s}'


@pytest.mark.parametrize(
    ("typed", "in_json", "in_yaml"),
    [
        ("9223372036854775807", "9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9223372036854776000", "9223372036854776000"),
        ("18446744073709551616", "18446744073709552000", "1.8446744073709552e+19"),
        ("-9223372036854775809", "-9223372036854776000", "-9.223372036854776e+18"),
        ("123456789012345678901234567890", "1.2345678901234568e+29", "1.2345678901234568e+29"),
        ("1e21", "1e+21", "1e+21"),
        ("0.0000001", "1e-7", "1e-07"),
        ("1.0", "1", "1"),
    ],
)
def test_numbers_are_printed_as_go_prints_them(typed: str, in_json: str, in_yaml: str) -> None:
    value = gojson.loads(f'{{"n":{typed}}}')
    assert as_json.text(value) == f'{{\n    "n": {in_json}\n}}\n'
    assert as_json.format_compact(value) == f'{{"n":{in_json}}}'
    assert as_yaml.text(value) == f'"n": {in_yaml}\n'


@pytest.mark.parametrize("typed", ["1e999", "-1e999", "9" * 400, "9" * 5000])
def test_a_number_beyond_all_floats_is_refused(desk, typed):
    text = f'unable to decode "STDIN": json: cannot unmarshal number {typed} into Go value of type float64'
    assert text in desk.fails("apply -f -", CONFIG % typed)


@pytest.mark.parametrize("typed", ["18446744073709551616", "99999999999999999999999", "9" * 5000])
def test_an_object_with_a_large_number_can_be_applied(desk, typed):
    body = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nnumber: {typed}\n"
    assert desk("apply --validate=false -f -", body) == "configmap/a created\n"


@pytest.mark.parametrize("word", [".inf", ".nan", "-.inf"])
def test_what_json_cannot_say_is_refused(desk, word):
    body = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nnumber: {word}\n"
    assert "error converting YAML to JSON: json: unsupported value: " in desk.fails("apply -f -", body)


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("create service clusterip x --tcp=80:²", "must contain only alpha-numeric characters (a-z, 0-9), and hyphens"),
        ("create service clusterip x --tcp=²", 'strconv.ParseUint: parsing "²": invalid syntax'),
        (f"create service clusterip x --tcp={'9' * 5000}", "value out of range"),
        (
            "create ingress x --rule=a/b=c:80 --annotation=a",
            "annotation a is invalid and should be in format key=[value]",
        ),
        ("run x --image=a --annotations=a", "invalid annotations format: a"),
        ("expose deploy web --port=²", 'strconv.Atoi: parsing "²": invalid syntax'),
        ("get deploy web -o go-template={{'aaa'}}", "malformed character constant: 'aaa'"),
        ("get deploy web -o go-template={{99999999999999999999}}", 'integer overflow: "99999999999999999999"'),
        ("get deploy web -o go-template='{{range 1000000000}}x{{end}}'", "range can't iterate over 1000000000"),
        ("apply -f web.yaml --selector='[{'", "unable to parse requirement"),
        ("get --raw '/api/v1/pods?limit=²'", 'strconv.ParseInt: parsing "²": invalid syntax'),
    ],
)
def test_words_where_numbers_belong_are_refused(web, command, error):
    command = command.replace("{{'aaa'}}", "\"{{'aaa'}}\"")
    assert error in web.fails(command)


@pytest.mark.parametrize("amount", ["99999999999999999999", "99999999999%"])
def test_an_amount_beyond_32_bits_is_a_word(desk, amount):
    text = desk(f"create pdb x --selector=a=b,c --min-available={amount} --dry-run=client -o json")
    expected = {"matchExpressions": [{"key": "c", "operator": "Exists"}], "matchLabels": {"a": "b"}}
    assert json.loads(text)["spec"] == {"minAvailable": amount, "selector": expected}


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("%1000000000d", "%!(NOVERB)%!(EXTRA int64=1)"),
        ("a%.99999999999999999999f|", "a%!(NOVERB)%!(EXTRA int64=1)"),
        ("%5d|", "    1|"),
    ],
)
def test_go_reads_widths_up_to_a_million(pattern: str, text: str) -> None:
    assert gofunctions.printf(pattern, 1) == text


@pytest.mark.parametrize(
    "template",
    [
        '{{printf "' + "%9999999d" * 4 + '" 1 1 1 1}}',
        '{{$a := printf "%9999999d" 1}}{{$b := print $a $a}}{{print $b $b}}',
        '{{range .metadata}}{{printf "%9999999d" 1}}{{end}}',
        "{{$m := .metadata}}" + "{{range $m}}" * 9 + "x" + "{{end}}" * 9,
    ],
)
def test_templates_end_where_there_is_no_room(web, template):
    assert "out of memory" in web.fails(f"get deploy web -o go-template='{template}'")


def test_paths_end_where_there_is_no_room(web):
    zeros = ",".join("0" * 1001)
    path = f"{{.items[{zeros}].spec.template.spec.containers[{zeros}].name}}"
    assert "out of memory" in web.fails(f"get deploy -o jsonpath='{path}'")


@pytest.mark.parametrize("text", ["contexts: abc", "contexts: [1]", "contexts: [{context: 1}]", "a: 2024-13-01", "- 1"])
def test_a_kubeconfig_that_makes_no_sense_leads_nowhere(web, text):
    web.files["/root/.kube/config"] = text
    said = web.fails("get deploy")
    assert "error loading config file" in said or "localhost:8080 was refused" in said


def test_a_time_beyond_the_last_year_is_at_its_end(desk):
    assert desk("create token default --duration=99999999999999h").startswith("eyJ")
