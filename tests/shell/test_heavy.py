"""What could hold a process or fill its memory ends by a count, or in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.shell import apart, make_shell, worker
from aiops_gym.shell.apart import run_apart
from aiops_gym.shell.awk import is_linear as awk_is_linear
from aiops_gym.shell.heavy import may_be_endless

LINES = (Path(__file__).parent / "hostile.txt").read_text().splitlines()
HOSTILE = tuple(line for line in LINES if line and not line.startswith("#"))
LATE = tuple(line.removeprefix("late ") for line in HOSTILE if line.startswith("late "))
COUNTED = tuple(line for line in HOSTILE if not line.startswith("late "))
MOST = 1_000_000_000
"""Bytes of memory that a process has at most, whatever is typed; 70 MB of them are there before."""

AWK = (
    "{print $1}",
    'NR>1 && $3 != "Running" {print $1, $2}',
    "{s+=$2} END{print s/NR}",
    "{a[$1]++} END{for(k in a) print k, a[k]}",
    "{for(i=1;i<=NF;i++) print $i}",
    '{gsub(/%/,"",$3)} $3>80 {printf "%-20s %s\\n", $1, $3}',
    "!seen[$0]++",
)


@pytest.mark.parametrize("program", AWK)
def test_the_usual_programs_of_awk_stay_in_the_process(program):
    assert awk_is_linear(program)
    assert not may_be_endless(["awk", program])


@pytest.mark.parametrize(
    "program",
    [
        *(
            "BEGIN{while(1){}}",
            "{s=s $0}",
            "{a[$1]=a[$1] $2}",
            "{x=y;y=x x}",
            "{for(;;)x++}",
            "{for(i=1;i<=NF;i++)i=1}",
        ),
        *("{for(i=1;i<=NF;i++)for(j=1;j<=NF;j++)x++}", "{for(k in a)x++}", "function f(n){} {f(1)}", '{$n="x"}'),
        *("{$0=$0 $0;" * 7 + "}", "$0 ~ $1", '{gsub(/a/,"&&&&&&&&&");gsub(/a/,"&&&&&&&&&")}', "{NF=100000}"),
        *(
            "{for(i=1;i<=NF;i++) if($0 ~ /b/) n++}",
            "{for(i=1;i<=NF;i++) if(/b/) n++}",
            "{split($1,a,$2)}",
            "{getline x}",
        ),
    ],
)
def test_programs_of_awk_that_may_go_on_do_not(program):
    assert not awk_is_linear(program)


@given(st.text(alphabet="{}()[]$/=~+-;,\"' aif0NR\\|.@:\n", max_size=40) | st.text(max_size=20))
def test_any_text_is_a_program_that_ends_or_may_not(text):
    assert awk_is_linear(text) in (True, False)


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("echo '[1,2,3]' | jq 'reduce .[] as $x (0; .+$x)'", "6\n"),
        ("echo '{\"a\":[1]}' > f; jq -c 'walk(if type==\"number\" then .+1 else . end)' f", '{"a":[2]}\n'),
        ("echo '{\"a\":1}' > f; ln -s f g; jq -c 'def h: .a; h' g", "1\n"),
        ("echo 'def f: .+1; 1|f, (now|floor)' > p; jq -n -f p", "2\n1772442000\n"),
        ("jq -rn --arg a b 'def f: $a; f, env.HOME'; echo $?", "b\n/root\n0\n"),
        ("cd /tmp; echo 1 > n; export Q=7; jq --slurpfile x n -n 'def f: $x[0]; f, ($ENV.Q|tonumber)'", "1\n7\n"),
        ("p='def f: .; f'; echo 5 | jq \"$p\" | tr 5 6", "6\n"),
        ("jq -n 'def f: error(\"no\"); f' 2>&1; echo $?", "jq: error (at <unknown>): no\n5\n"),
        ("jq -nf /nope 2>&1", "/usr/bin/jq: Could not open /nope: No such file or directory\n"),
        ("seq 3 | awk '{s = s $0} END {print s; print s > \"/tmp/o\"}'; cat /tmp/o; ls -l /tmp/o | cut -c1-10",
         "123\n123\n-rw-r--r--\n"),
        ("awk 'BEGIN {while ((\"date\" | getline d) > 0) print d}'", "Mon Mar  2 09:00:00 UTC 2026\n"),
        ("printf 'é\\n' | python3 -c 'print(len(open(\"/dev/stdin\").read()))'", "2\n"),
        ("python3 -c 'open(\"b\",\"w\").write(\"x\")' > /dev/null; cat b", "x"),
        ("printf '%2000s|' x | wc -c; printf '%*s|\\n' 3 x", "2001\n  x|\n"),
        ("printf '%s %(%F)T|%(%s)T|%3d\\n' a", "a 2026-03-02|1772442000|  0\n"),
        ("f='%(%s)T '; printf \"$f\" -1 0 ''; printf -v x '%(%s)T'; echo $x", "1772442000 0 0 1772442000\n"),
        ("printf '%%(%s)T %(%F)T\\n' 5 0; echo 'printf \"%%(a)T%%%(%s)T\\n\"' > f; . ./f",
         "%(5)T 1970-01-01\n%(a)T%1772442000\n"),
        ("echo 'printf \"%(%F)T|%(%s)T\\n\" -1' > f; bash f; . ./f", "2026-03-02|1772442000\n" * 2),
    ],
)  # fmt: skip
def test_what_runs_apart_prints_what_it_would_print_here(shell, script, stdout):
    assert shell.run(script).stdout == stdout


ENDLESS = "awk 'function f(n) { if (n <= 0) return 1; return f(n-1) + f(n-1) } BEGIN { print f(60) }'"


LOOP = "while (i < 2) i++; "
"""Makes any program one that may have no end."""


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        (f"echo 4 > n; awk '{{ {LOOP}print $1 + 1 }}' n", "5\n"),
        (f"mkdir d; cd d; echo 4 > n; cd ..; awk '{{ {LOOP}print FILENAME, k, $1 }}' k=7 d/n", "d/n 7 4\n"),
        (f"echo 4 > n; ln -s n m; awk '{{ {LOOP}print }}' m", "4\n"),
        (f"for x in 1 2; do echo $x > n; awk '{{ {LOOP}print }}' n; done", "1\n2\n"),
        (f"echo 4 | awk '{{ {LOOP}print > \"n\" }}'; cat n", "4\n"),
        (f"echo 4 > n; echo 5 | awk '{{ {LOOP}getline x < \"n\"; print x + $1 }}'", "9\n"),
        (f"echo 4 > n; echo '{{ {LOOP}print }}' > p; awk -f p n", "4\n"),
    ],
)
def test_what_runs_apart_has_the_files_that_it_names_or_makes_itself(shell, script, stdout):
    assert shell.run(script).stdout == stdout


def test_what_never_ends_is_ended_with_the_script_and_says_so(shell):
    result = shell.run(f'echo a; while :; do timeout 9 sh -c "{ENDLESS}"; done')
    assert (result.code, result.limit) == (124, "wall")
    assert result.output == "a\nbash: killed: more than 2 seconds of processor time used\n"
    assert shell.run("echo alive").output == "alive\n"


def test_all_calls_of_a_script_share_the_time_they_have(shell):
    """Otherwise each turn of a loop could take all of it."""
    result = shell.run("for i in 1 2 3 4 5 6 7 8 9; do python3 -c 'for i in range(2000000): pass'; done; echo $i")
    assert result.limit == "wall"


def test_a_process_apart_knows_nothing_of_this_one(monkeypatch):
    monkeypatch.setenv("SECRET", "s3cret")
    script = "env; cat /proc/self/environ; ls -a / /root; cat /etc/passwd; python3 -c 'import os; print(os.environ)'"
    answer = run_apart(script, {}, python=True)
    assert "s3cret" not in answer.stdout + answer.stderr
    assert os.getcwd() not in answer.stdout


def test_nothing_is_left_of_a_call_for_the_next(shell):
    before = shell.run("python3 -c 'print(list(__builtins__) if False else 1)'").output
    run_apart("x=1; cd /tmp; echo a > /tmp/a; f() { :; }; export Q=1", {})
    assert run_apart("echo $x $Q; pwd; ls /tmp; type f", {}).stdout == "\n/root\n"
    assert shell.run("python3 -c 'print(list(__builtins__) if False else 1)'").output == before


def test_the_worker_imports_nothing_of_ours_and_no_part_of_the_shell_what_only_some_systems_have():
    assert "aiops_gym" not in "".join(
        line for line in Path(worker.__file__).read_text().splitlines() if line.lstrip().startswith(("import", "from"))
    )
    for path in Path(worker.__file__).parent.rglob("*.py"):
        for name in ("resource", "fcntl", "termios", "signal", "pwd"):
            assert f"\nimport {name}\n" not in path.read_text()


def test_a_worker_that_was_ended_is_started_again():
    run_apart("echo 1", {})
    apart.close()
    assert run_apart("echo 1", {}).stdout == "1\n"
    process = apart._workers[0]._process
    process.kill()
    process.wait()
    assert run_apart("echo 1", {}).stdout == "1\n"


def test_several_threads_take_turns():
    answers = list[str]()
    threads = [threading.Thread(target=lambda n=n: answers.append(run_apart(f"echo {n}", {}).stdout)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [f"{n}\n" for n in range(8)]


LIVES = """
import os, signal, sys
from aiops_gym.shell import apart
assert apart.run_apart("echo 1", {}).stdout == "1\\n"
pid = apart._workers[0]._process.pid
if sys.argv[1] == "fork":
    child = os.fork()
    if child == 0:
        same = apart.run_apart("echo 2", {}).stdout == "2\\n" and apart._workers[0]._process.pid != pid
        apart.close()
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert apart.run_apart("echo 3", {}).stdout == "3\\n" and apart._workers[0]._process.pid == pid
print(pid, flush=True)
if sys.argv[1] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("how", ["exit", "fork", "kill"])
def test_the_worker_ends_with_its_process_however_that_ends(how):
    done = subprocess.run(
        [sys.executable, "-c", LIVES, how], stdout=subprocess.PIPE, text=True, timeout=60, check=False
    )
    assert (done.returncode == 0) == (how != "kill")
    pid = int(done.stdout)
    for _ in range(600):
        if not _runs(pid):
            return
        threading.Event().wait(0.05)
    raise AssertionError("the worker is still there")


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


PEAK = """
import json, resource, sys
from aiops_gym.shell import make_shell
def own_peak():  # not RUSAGE_SELF: across exec that one keeps the peak of whoever started us, a whole test run
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
shell = make_shell({})._sandbox
results = []
for script in json.load(sys.stdin):
    one, *others = (shell.fork(shell.cluster).run(script) for _ in range(int(sys.argv[1])))
    peak = max(own_peak(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    results.append([script, one.limit, [one] * len(others) == others, len(one.output), peak * 1024])
json.dump(results, sys.stdout)
"""


def _played(scripts, times):
    argv, text = [sys.executable, "-c", PEAK, str(times)], json.dumps(scripts)
    done = subprocess.run(argv, input=text, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.full
def test_whatever_is_typed_ends_by_a_count_with_the_same_words_and_within_a_gigabyte():
    for script, limit, same, size, peak in _played(COUNTED, 2):
        # What a native find matches is bounded and cannot be counted: on a slow machine the clock comes first.
        by_clock = limit == "wall" and script.startswith("find / -regex")
        assert by_clock or limit in ("", "time", "commands", "output"), script
        assert by_clock or same, script
        assert size < 5_000_000, script
        assert peak < MOST, script


@pytest.mark.full
def test_what_no_count_ends_is_ended_by_the_clock_of_the_processor():
    for script, limit, _, _, peak in _played(LATE, 1):
        assert limit == "wall", script
        assert peak < MOST, script


JQS = st.sampled_from(
    [
        ".",
        ".[]",
        "range(1e9)",
        "repeat(.)",
        "def f: f; f",
        "[.,.]",
        "tojson",
        "..",
        "limit(9; repeat(1))",
        "until(. > 1e9; . + 1)",
    ]
)
PIPES = st.lists(JQS, min_size=1, max_size=4).map(" | ".join)
AWKS = st.lists(
    st.sampled_from(
        ["while (1) x++;", "s = s $0;", "for (;;) x++;", "print;", "a[n++] = $0;", "for (k in a) n++;", "$1 = $0 $0;"]
    ),
    min_size=1,
    max_size=4,
).map("".join)
SOURCES = st.sampled_from(
    ["yes", "seq 1e9", "seq 9999", "echo '[1,2,3]'", "cat /dev/zero", "head -c 99999999 /dev/zero"]
)
FILTERS = st.sampled_from(
    [
        "tr '\\0' a",
        "sort",
        "fold -w1",
        "base64",
        "sed ':a;s/a/aa/;ta'",
        "grep -E '(a+)+b'",
        "xargs -n1",
        "rev",
        "od -c",
        "nl",
    ]
)
STAGES = st.one_of(
    FILTERS, PIPES.map("jq '{}'".format), PIPES.map("jq -n '{}'".format), AWKS.map("awk '{{ {} }}'".format)
)


@pytest.mark.full
@settings(max_examples=40, deadline=None)
@given(
    SOURCES,
    st.lists(STAGES, min_size=1, max_size=3),
    st.sampled_from(["{}", "while :; do {}; done", "x=$({}); echo ${{#x}}"]),
)
def test_hostile_scripts_of_any_kind_end_and_the_shell_lives_on(source, stages, around):
    shell = make_shell({})
    script = around.format(" | ".join([source, *stages]))
    limit = shell._sandbox.run(script).limit
    assert limit in ("", "time", "commands", "output") or "awk" in script
    assert shell.run("echo alive") == ("alive\n", "", 0)
