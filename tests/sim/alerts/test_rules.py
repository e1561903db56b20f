"""Files of rules, and the texts that they write."""

import pytest

from aiops_gym.sim.alerts.rules import RuleError, read_groups
from aiops_gym.sim.alerts.template import expand, humanize, humanize_binary, humanize_duration


def minutes(text):
    return int(text.removesuffix("m")) * 60_000


def test_a_file_is_read():
    text = (
        "groups: [{name: a, interval: 5m, rules: [{record: 'x:y', expr: up}, {alert: Down, expr: up == 0, for: 2m}]}]"
    )
    (group,) = read_groups(text, "r.yml", minutes)
    assert (group.name, group.interval, [rule.name for rule in group.rules]) == ("a", 300_000, ["x:y", "Down"])
    assert (group.rules[1].hold, group.rules[1].alerting, group.rules[0].alerting) == (120_000, True, False)
    assert read_groups("", "r.yml", minutes) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("groups: [", "yaml"),
        ("groups: {a: 1}", "no list"),
        ("group: []", "field group not found"),
        ("groups: [{rules: []}]", "Groupname must not be empty"),
        ("groups: [{name: a}, {name: a}]", 'groupname: "a" is repeated'),
        ("groups: [{name: a, rules: [{expr: up}]}]", "one of 'record' and 'alert' must be set"),
        ("groups: [{name: a, rules: [{alert: A, record: b, expr: up}]}]", "only one of"),
        ("groups: [{name: a, rules: [{alert: A}]}]", "field 'expr' must be set"),
        ("groups: [{name: a, rules: [{record: 'a-b', expr: up}]}]", "invalid recording rule name: a-b"),
        ("groups: [{name: a, rules: [{record: a, expr: up, for: 5m}]}]", "invalid field 'for'"),
        ("groups: [{name: a, rules: [{alert: A, expr: up, for: soon}]}]", "not a valid duration string"),
        ("groups: [{name: a, rules: [{alert: A, expr: up, labels: {a-b: c}}]}]", "invalid label name: a-b"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(text, said):
    with pytest.raises(RuleError, match=said):
        read_groups(text, "r.yml", minutes)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "plain"),
        ("{{ $labels.pod }}/{{ .Labels.pod }}", "geo/geo"),
        ("{{ $labels.none }}", ""),
        ("{{ $value }}", "0.256"),
        ('{{ printf "%.2f" $value }}', "0.26"),
        ("{{ $value | humanizePercentage }}", "25.6%"),
        ("{{ if gt $value 0.1 }}high{{ end }}", "high"),
        ("{{ $labels.instance | stripPort }}", "10.0.0.1"),
        ('{{ reReplaceAll "(.*):.*" "$1" $labels.instance }}', "10.0.0.1"),
        ('{{ title "in words" }}', "In Words"),
    ],
)
def test_templates_are_expanded(text, written):
    assert expand(text, {"pod": "geo", "instance": "10.0.0.1:80"}, 0.256) == written


def test_a_template_that_fails_says_so_in_the_text():
    assert expand("{{ $nobody }}", {}, 1.0).startswith("<error expanding template: ")
    assert expand("{{ nobody }}", {}, 1.0).startswith("<error expanding template: ")


def test_numbers_for_people():
    assert [humanize(value) for value in (0, 1234567, 0.00123, -2e9)] == ["0", "1.235M", "1.23m", "-2G"]
    assert [humanize_binary(value) for value in (1, 2048, 3 * 2**30)] == ["1", "2ki", "3Gi"]
    assert [humanize_duration(value) for value in (0, 59.5, 61, 3600, -90000)] == [
        "0s",
        "59.5s",
        "1m 1s",
        "1h 0m 0s",
        "-1d 1h 0m 0s",
    ]
