"""Command lines are read as pflag reads them, errors included."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.clients.flags import Flag, FlagError, Flags, parse_duration

TABLE = Flags.of(
    Flag("namespace", short="n"),
    Flag("all", "bool", short="A"),
    Flag("stdin", "bool", short="i"),
    Flag("tty", "bool", short="t"),
    Flag("tail", "int", default=-1),
    Flag("since", "duration"),
    Flag("files", "list", short="f"),
    Flag("env", "array", short="e"),
    Flag("dry-run", default="none", bare="unchanged"),
)


@pytest.mark.parametrize(
    "words", [["-n", "x"], ["-n=x"], ["-nx"], ["--namespace", "x"], ["--namespace=x"], ["-An", "x"]]
)
def test_a_value_may_follow_in_any_of_pflags_ways(words):
    assert TABLE.parse(["a", *words, "b"]).text("namespace") == "x"
    assert TABLE.parse(["a", *words, "b"]).args == ["a", "b"]


def test_short_bools_may_be_joined():
    parsed = TABLE.parse(["-it", "pod", "--", "sh", "-c", "ls -n"])
    assert parsed.on("stdin") and parsed.on("tty") and not parsed.on("all")
    assert parsed.args == ["pod", "sh", "-c", "ls -n"] and parsed.dash == 1


def test_a_bool_takes_a_value_only_after_an_equals_sign():
    assert TABLE.parse(["--all=false", "x"]).on("all") is False
    assert TABLE.parse(["--all", "false"]).args == ["false"]


def test_a_flag_with_a_bare_value_takes_none_from_the_next_word():
    parsed = TABLE.parse(["--dry-run", "client"])
    assert parsed.text("dry-run") == "unchanged" and parsed.args == ["client"]


def test_lists_are_split_and_arrays_are_not():
    parsed = TABLE.parse(["-f", "a,b", "-f=c", "-e", "a,b", "-e", "c"])
    assert parsed.items("files") == ("a", "b", "c") and parsed.items("env") == ("a,b", "c")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--foo"], "unknown flag: --foo"),
        (["-Z"], "unknown shorthand flag: 'Z' in -Z"),
        (["-AZx"], "unknown shorthand flag: 'Z' in -Zx"),
        (["-n"], "flag needs an argument: 'n' in -n"),
        (["--namespace"], "flag needs an argument: --namespace"),
        (["--=x"], "bad flag syntax: --=x"),
        (["---x"], "bad flag syntax: ---x"),
        (
            ["--tail", "abc"],
            'invalid argument "abc" for "--tail" flag: strconv.ParseInt: parsing "abc": invalid syntax',
        ),
        (["-A=foo"], 'invalid argument "foo" for "-A, --all" flag: strconv.ParseBool: parsing "foo": invalid syntax'),
        (["--since=5x"], 'invalid argument "5x" for "--since" flag: time: unknown unit "x" in duration "5x"'),
        (["--since=5"], 'invalid argument "5" for "--since" flag: time: missing unit in duration "5"'),
    ],
)
def test_errors_have_pflags_words(words, text):
    with pytest.raises(FlagError) as caught:
        TABLE.parse(words)
    assert str(caught.value) == text


@given(st.lists(st.text(alphabet='-=nAi xtf"é', max_size=8), max_size=6))
def test_any_command_line_parses_or_is_refused(words):
    try:
        parsed = TABLE.parse(words)
    except FlagError:
        return
    assert parsed.dash <= len(parsed.args) <= len(words)


@given(st.integers(0, 10**6), st.integers(0, 59), st.integers(0, 999))
def test_durations_add_up(hours, minutes, millis):
    assert parse_duration(f"{hours}h{minutes}m{millis}ms") == pytest.approx(hours * 3600 + minutes * 60 + millis / 1000)
