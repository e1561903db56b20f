"""Numbers, widths, times and names that no program has room for: each command says so, in the words of the real one."""

from __future__ import annotations

import resource

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.shell.commands.date import EARLIEST, LATEST, render
from aiops_gym.sim.kernel.digits import parse_natural

NAMES = "tmp$(printf 'X%.0s' {1..300})"


@pytest.mark.parametrize(
    ("arguments", "stdout"),
    [
        ("-d @1772437247421656", "Wed Jun 15 07:20:56 UTC 56168270\n"),
        ("-d @1772437247421656 -Iseconds", "56168270-06-15T07:20:56+00:00\n"),
        ("-d @1772437247421656 -R", "Wed, 15 Jun 56168270 07:20:56 +0000\n"),
        (
            "-d @1772437247421656 '+%F %y %C %G %V %j %s'",
            "+56168270-06-15 70 561682 56168270 24 166 1772437247421656\n",
        ),
        ("-d @-99999999999 '+%F %C %g %12s'", "-1199-02-15 -11 99 -99999999999\n"),
        ("-d @-62135596801 '+%c'", "Sun Dec 31 23:59:59 0000\n"),
        ("-d @-0.5 '+%s %N %T'", "-1 500000000 23:59:59\n"),
        ("-d @1.9996 '+%N %10N %3N'", "999600000 9996000000 999\n"),
        ("-d @0 '+%6Y %06F %010F'", "001970 1970-01-01 1970-01-01\n"),
        ("-d '9999-12-31 + 1 day'", "Sat Jan  1 00:00:00 UTC 10000\n"),
        ("-d '2024-01-31 + 99999 years' +%F", "+102023-01-31\n"),
        ("-d '@ 5' +%s; date -d @+5 +%s", "5\n5\n"),
    ],
)
def test_dates_have_no_last_year(shell, arguments, stdout):
    assert shell.run(f"date -u {arguments}").output == stdout


@pytest.mark.parametrize(
    ("script", "stderr"),
    [
        ("date -d @99999999999999999999", "date: invalid date ‘@99999999999999999999’\n"),
        ("date -d @9223372036854775807", "date: time ‘9223372036854775807’ is out of range\n"),
        ("date -d '99999999999999999999 days'", "date: invalid date ‘99999999999999999999 days’\n"),
        ("date -d '1 ſec'", "date: invalid date ‘1 ſec’\n"),
        ("date +%1000000000Y", "date: memory exhausted\n"),
        ("shuf /etc", "shuf: read error: Is a directory\n"),
        ("shuf ''", "shuf: '': No such file or directory\n"),
        ("shuf -n ² /etc/hosts", "shuf: invalid line count: ‘²’\n"),
        ("shuf -i 5-1", "shuf: invalid input range: ‘5-1’\n"),
        (
            "mktemp -p /etc/passwd",
            "mktemp: failed to create file via template ‘/etc/passwd/tmp.XXXXXXXXXX’: Not a directory\n",
        ),
        ("mktemp --suffix=/b XXX", "mktemp: invalid suffix ‘/b’, contains directory separator\n"),
        ("mktemp ''", "mktemp: too few X's in template ‘’\n"),
        ("tee /etc/passwd/x", "tee: /etc/passwd/x: Not a directory\n"),
        ("nc -z localhost ²", "nc: port number invalid: ²\n"),
        ("du -d ²", "du: invalid maximum depth ‘²’\nTry 'du --help' for more information.\n"),
        ("find / -maxdepth ²", "find: Expected a positive decimal integer argument to -maxdepth, but got ‘²’\n"),
        ("xxd -c 1000000000 /etc/passwd", "xxd: invalid number of columns (max. 256).\n"),
        ("n=999999999999999; xxd -c$n < /etc/passwd", "xxd: invalid number of columns (max. 256).\n"),
        ("echo -c 257 /etc/passwd | xargs xxd", "xxd: invalid number of columns (max. 256).\n"),
    ],
)
def test_what_cannot_be_done_is_refused_in_the_words_of_the_real_command(shell, script, stderr):
    result = shell.run(script)
    assert (result.stdout, result.stderr) == ("", stderr)
    assert result.code


@pytest.mark.parametrize("script", [f"mktemp {NAMES}", f"mktemp -d -p / {NAMES}", f"echo | tee {NAMES}"])
def test_names_longer_than_a_file_system_takes_are_refused(shell, script):
    result = shell.run(script)
    assert result.code == 1
    assert result.stderr.endswith(": File name too long\n")


def test_columns_of_bytes_are_those_that_were_given(shell):
    assert shell.run("printf '\\xff\\xfeab' | xxd -c 2").stdout == "00000000: fffe  ..\n00000002: 6162  ab\n"


def test_wide_formats_of_times_print_nothing_rather_than_all_there_is(shell):
    assert shell.run("printf '%(%999999999999999Y)T|' 0").stdout == "|"


def test_a_line_drawn_again_and_again_ends_where_there_is_no_room(shell):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert shell.run("x=$(printf '%10000s' $(seq 100)); shuf -r -n 100000 -e \"$x\"").code == 124
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000


def test_a_time_of_very_many_digits_is_refused_at_once(shell):
    assert shell.run("date -d $(printf '1%.0s' {1..9000})").code == 1


@given(st.integers(EARLIEST, LATEST), st.sampled_from("YmdHMSjuU"))
def test_the_calendar_repeats_itself_every_400_years(moment: int, letter: str) -> None:
    inside = moment % (146_097 * 86_400)
    later = (moment - inside) // (146_097 * 86_400) * 400
    if letter == "Y":
        assert int(render(moment, "%Y")) == int(render(inside, "%Y")) + later
    else:
        assert render(moment, f"%{letter}") == render(inside, f"%{letter}")


@given(st.text())
def test_any_text_is_a_natural_number_or_none(text: str) -> None:
    number = parse_natural(text)
    assert (number is None) != bool(text and set(text) <= set("0123456789"))
