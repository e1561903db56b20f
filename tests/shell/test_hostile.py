"""Whatever is typed ends, with a reason, and the session lives on."""

from __future__ import annotations

import threading
from collections import OrderedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.shell import engine, make_shell
from aiops_gym.types import Output

ENDLESS = {
    "while :; do :; done": "commands",
    "while true; do x=$(kubectl a); done": "time",
    "while true; do kubectl a; done": "time",
    "for ((;;)); do :; done": "commands",
    "until false; do echo x; done": "commands",
    ":(){ :|:& };:": "commands",
    "bomb() { bomb | bomb & }; bomb": "commands",
    "sleep 1000000000": "time",
    "sleep infinity": "time",
    "tail -f /etc/hostname": "time",
    "while true; do cat /etc/passwd; done": "output",
}


@pytest.mark.parametrize("script", ENDLESS)
def test_endless_scripts_end_by_a_counter_and_always_the_same(new_shell, script):
    one, two = new_shell(), new_shell()
    result = one.run(script)
    assert (result.code, result.limit) == (124, ENDLESS[script])
    assert result.stderr
    assert two.run(script) == result
    assert one.run("echo alive").output == "alive\n"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("f() { f; }; f", "Maximum function recursion depth (1000) reached"),
        ("x=a; while :; do x=$x$x; done", "xrealloc: cannot allocate memory"),
    ],
)
def test_what_has_no_room_ends_by_itself(new_shell, script, words):
    result = new_shell().run(script)
    assert (result.code > 0, result.limit) == (True, "")
    assert words in result.stderr


@pytest.mark.parametrize(
    "script",
    [
        "yes",
        "yes | head -3",
        "seq 1 1000000000",
        "echo {1..1000000}",
        "awk 'BEGIN{while(1){}}'",
        "awk 'BEGIN{while(1)print 1}'",
        "cat /dev/zero",
        "head -c 100000000 /dev/zero",
        "dd if=/dev/zero of=/tmp/x bs=1M count=1000",
        "printf 'a%.0s' $(seq 1 100000) | grep -E '(a+)+$b'",
        "jq -n '[range(10000000)] | length'",
        "sort <(yes)",
        "eval $(printf 'echo %.0s' $(seq 5000))",
        "echo 'kubectl a; . /tmp/s' > /tmp/s; . /tmp/s",
        "echo 'bash /tmp/s' > /tmp/s; bash /tmp/s",
        "exec kubectl a",
        "kill -9 $$; exit 5",
        "rm -rf / --no-preserve-root; rm -rf /*; ls /",
        "echo x > /etc/passwd; mv /usr /tmp; ln -s / /tmp/loop; ls -R / | tail -1",
        "ulimit -v 1; set -o nounset; trap '' TERM INT EXIT",
        "$(" * 200,
        "(" * 3000,
        "[" * 5000,
        "`" * 9999,
        "{" * 5000 + "}" * 5000,
        "if true; then " * 500,
        "echo $((" + "(" * 1000 + "1" + ")" * 1000 + "))",
        "echo '",
        "cat <<EOF",
        "for",
        "a" * 100_000,
    ],
)
def test_odd_scripts_end_and_the_session_lives_on(shell, script):
    result = shell.run(script)
    assert result.limit != "wall"
    assert len(result.output) < 5_000_000
    assert shell.run("echo alive").stdout == "alive\n"
    assert "kubectl a" in shell.run("kubectl a").stdout


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("x" * 1_000_000, "bash: Argument list too long (1000000 characters, at most 131072)\n"),
        ("echo \ud800", "bash: cannot execute: the command is not valid UTF-8\n"),
        ("echo 'a", "bash: -c: line 1: unexpected EOF while looking for matching `''\n"),
        ("if then", "bash: -c: line 1: syntax error near unexpected token `then'\nbash: -c: line 1: `if then'\n"),
    ],
)
def test_what_cannot_run_is_refused_with_a_reason(shell, script, text):
    result = shell.run(script)
    assert result.output.startswith(text)
    assert result.code in (2, 126)


@pytest.mark.parametrize(
    "script",
    [
        "f(){ g|g& };g(){ f|f& };f",
        "printf './b|./b' > b; chmod +x b; ./b",
        'x="eval \\$x"; eval $x',
        "jq -n 'reduce range(100000) as $x (null; [.]) | length'",
        "x=$(printf '! %.0s' $(seq 1 50000)); test $x 1; find $x",
        "x=$(printf '( %.0s' $(seq 1 50000)); expr $x; echo \"$x\" | bc",
        "jq -n \"$(printf '[%.0s' $(seq 1 50000))\"",
    ],
)
def test_what_nests_without_end_ends_no_process(shell, script):
    shell.run(script)
    assert shell.run("echo alive").stdout == "alive\n"


def test_what_only_the_wall_clock_ends_says_so_once(new_shell, monkeypatch):
    monkeypatch.setattr(engine, "WALL_SECONDS", 0.3)
    monkeypatch.setattr(engine, "_engines", OrderedDict())
    shell = new_shell()
    big = "x=$(head -c 1000000 /dev/zero | tr '\\0' a); for i in {1..4999}; do y=${x//a/b}; done"
    result = shell.run(f"echo a; {big}")
    assert (result.limit, result.code) == ("wall", 124)
    assert result.output == "a\nbash: killed: more than 0.3 seconds of real time used\n"
    assert shell.run("echo alive").stdout == "alive\n"


def answer_late(context, argv):
    """A command that waits for a cluster in real time."""
    threading.Event().wait(0.5)
    return Output("here\n")


@pytest.mark.parametrize(("patience", "limit"), [(None, "wall"), (60.0, "")])
@pytest.mark.parametrize("script", ["kubectl get nodes", "kubectl get nodes; echo done"])
def test_a_cluster_that_is_real_may_take_its_time(new_shell, monkeypatch, script, patience, limit):
    monkeypatch.setattr(engine, "WALL_SECONDS", 0.3)
    monkeypatch.setattr(engine, "_engines", OrderedDict())
    shell = new_shell()
    shell.commands, shell.patience = {**shell.commands, "kubectl": answer_late}, patience
    assert shell.run(script).limit == limit


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("while true; do echo x; sleep 1; done | head -3", "x\nx\nx\n"),
        ("while true; do kubectl a; done | head -2; echo on", "kubectl a\nkubectl a\non\n"),
        ("i=0; while true; do i=$((i+1)); echo $i; done | head -2", "1\n2\n"),
        ("for i in 1 2 3; do echo 'a; do b'; done | wc -l", "3\n"),
    ],
)
def test_a_loop_that_feeds_a_pipe_ends_with_what_came_through(shell, script, stdout):
    result = shell.run(script)
    assert (result.stdout, result.limit) == (stdout, "")


def test_a_loop_whose_reader_waits_for_its_end_is_ended(shell):
    result = shell.run("while true; do echo x; sleep 10; done | wc -l")
    assert (result.stdout.strip(), result.limit) == ("3", "time")


def test_null_bytes_are_dropped_as_bash_does(shell):
    assert shell.run("echo a\0b").stdout == "ab\n"


def test_a_flood_of_output_is_cut(shell):
    result = shell.run("for i in $(seq 1 2000); do printf '%05000d\\n' $i; done")
    assert result.limit == "output"
    assert 4_000_000 <= len(result.stdout) < 4_100_000


def test_a_disk_has_an_end(shell):
    result = shell.run("for i in $(seq 1 40); do head -c 1000000 /dev/zero > /tmp/f$i; done")
    assert result.stderr == "bash: write error: No space left on device\n"
    assert shell.run("wc -c < /tmp/f40").stdout == "0\n"
    with pytest.raises(OSError, match="No space left"):
        shell.write_file("/tmp/more", "x" * 2_000_000)


def test_shells_inside_shells_have_an_end(shell):
    result = shell.run("echo 'timeout 9 bash /tmp/s' > /tmp/s; timeout 9 bash /tmp/s")
    assert "Resource temporarily unavailable" in result.stderr


WORDS = st.sampled_from(
    [
        *("echo", "a", "kubectl", "sleep 9", "if", "then", "fi", "for", "do", "done", "case", "esac", "!", "[[", "]]"),
        *("|", ";", "&&", "&", "$(", ")", "(", "`", "'", '"', "{", "}", "\n", ">", "<<E", "$x", "$((", "))", "\\", "#"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(words=st.lists(WORDS, max_size=12))
def test_any_text_is_run_or_refused(words):
    shell = make_shell({"kubectl": lambda argv, stdin: ("k\n", "", 0)})
    shell.run(" ".join(words))
    assert shell.run("echo alive") == ("alive\n", "", 0)
