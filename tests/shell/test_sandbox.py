"""What holds for every script: streams, files, time, chance."""

from __future__ import annotations

import copy
import pickle

import pytest

from aiops_gym.errors import SnapshotError
from aiops_gym.shell import make_shell
from aiops_gym.shell.plain import Timer
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.types import Output, Printed


def test_output_is_in_the_order_written(shell):
    result = shell.run("echo a; echo b >&2; kubectl x; echo c")
    assert result.output == "a\nb\nkubectl x\nc\n"
    assert (result.stdout, result.stderr, result.code, result.limit) == ("a\nkubectl x\nc\n", "b\n", 0, "")


def test_each_script_is_a_new_shell_over_the_same_files(shell):
    shell.run("X=1; f() { echo F; }; cd /tmp; set -e; alias q=ls; export Y=2; echo kept > /tmp/note; umask 077")
    result = shell.run('echo "[$X$Y]" $PWD; f; false; echo on; cat /tmp/note')
    assert result.stdout == "[] /root\non\nkept\n"
    assert result.stderr == "bash: line 1: f: command not found\n"


def test_a_script_cannot_step_out_of_its_shell(shell):
    assert shell.run("echo a ); X=1; f() { :; }; ( echo b").code == 2
    assert shell.run("cat <<END\n)\nX=1\n").stdout == ")\nX=1\n"
    assert shell.run("echo [$X]").stdout == "[]\n"


def test_sleep_and_calls_cost_the_clusters_time_only(shell):
    shell.run("sleep 1.5; sleep 2s; kubectl x; kubectl y")
    assert shell.cluster.now() == pytest.approx(1_772_442_000 + 4.1)


def test_what_was_printed_before_the_time_ran_out_is_kept(shell):
    result = shell.run("while true; do echo tick; sleep 5; done", timeout=22)
    assert result.stdout == "tick\n" * 5
    assert (result.code, result.limit) == (124, "time")
    assert result.stderr == "bash: killed after 22 seconds\n"
    assert shell.cluster.now() == 1_772_442_022
    assert shell.run("echo alive").stdout == "alive\n"


@pytest.mark.parametrize("script", ["kubectl get --watch", "kubectl get --watch | cat", "kubectl get --watch; echo no"])
def test_a_command_that_never_ends_gives_what_it_printed(shell, script):
    result = shell.run(script)
    assert result.stdout == "kubectl get --watch\n"
    assert shell.cluster.now() == 1_772_442_030


def test_no_command_starts_after_the_time_is_up(shell):
    result = shell.run("x=$(kubectl get --watch); kubectl delete everything")
    assert "delete" not in result.output
    assert result.limit == "time"


def test_a_broken_command_of_ours_is_raised_and_not_printed():
    def broken(argv, stdin):
        raise ZeroDivisionError("ours")

    shell = make_shell({"broken": broken})
    with pytest.raises(ZeroDivisionError, match="ours"):
        shell.run("broken | cat; echo on")
    assert shell.run("echo on") == ("on\n", "", 0)


def test_shells_share_an_interpreter_and_nothing_else(new_shell):
    a, b = new_shell(1), new_shell(2)
    a.run("echo a > /tmp/x; mkdir -p /srv/d; ln -s /tmp/x /tmp/link")
    b.run("echo b > /tmp/x; rm -rf /srv")
    assert a.run("cat /tmp/x /tmp/link; ls /srv").stdout == "a\na\nd\n"
    assert b.run("cat /tmp/x; ls /srv /tmp").stdout == "b\n/tmp:\nx\n"
    assert b.run("history").output == ""


def test_the_same_seed_gives_the_same_bytes_next_to_other_shells(new_shell):
    scripts = [
        "echo $RANDOM $RANDOM; mktemp; shuf -e a b c d e",
        "seq 9 | sort -R; awk 'BEGIN{srand(); print rand(), systime()}'; jq -n 'now'",
        "echo $SECONDS $EPOCHSECONDS $SRANDOM $! $BASHPID; uuidgen; openssl rand -hex 4",
        "head -c 8 /dev/urandom | base64; cat /proc/sys/kernel/random/uuid; printf '%(%F %T)T\\n' -1; date +%s.%N",
        "sleep 1 & echo $!; wait; time kubectl x; ls -la --full-time /tmp; stat /tmp; df; free; uptime; ps aux",
    ]
    alone = new_shell(5)
    first = [alone.run(script) for script in scripts]
    again, other = new_shell(5), new_shell(6)
    second = []
    for script in scripts:
        other.run("echo $RANDOM $! > /tmp/y; mktemp")
        second.append(again.run(script))
    assert first == second
    assert new_shell(6).run(scripts[0]) != first[0]


def test_a_snapshot_goes_on_where_it_was_taken(new_shell):
    shell = new_shell(9)
    pristine = len(shell.snapshot())
    shell.run("echo one > /tmp/a; chmod 600 /tmp/a; ln -s a /tmp/l; mkdir /opt/empty; rm /etc/motd /etc/hosts; mktemp")
    data = shell.snapshot()
    look = "ls -la /tmp /opt /etc; cat /tmp/l; echo $RANDOM; mktemp"
    twin = new_shell(9)
    twin.restore(data)
    assert pristine < 100
    assert twin.run(look) == shell.run(look)
    assert new_shell(9).run(look) != shell.run(look)


def test_a_fork_and_a_copy_go_their_own_way(shell):
    shell.run("echo one > /tmp/a")
    fork, copied = shell.fork(shell.cluster), copy.deepcopy(shell)
    shell.run("echo two > /tmp/a")
    assert fork.run("cat /tmp/a").stdout == copied.run("cat /tmp/a").stdout == "one\n"
    assert copied.run("which helm kubectl").stdout == "/usr/local/bin/helm\n/usr/local/bin/kubectl\n"


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"drawn": 1, "files": {"changed": {"/a": 1}, "removed": []}}'])
def test_bytes_that_are_no_snapshot_are_refused(shell, data):
    with pytest.raises(SnapshotError):
        shell.restore(data)


def test_files_can_be_reached_from_outside(shell):
    shell.write_file("metrics_output/cpu.csv", "time,cpu\n1,2\n")
    assert shell.run("ls metrics_output; grep -c , metrics_output/cpu.csv").stdout == "cpu.csv\n2\n"
    shell.run("echo more >> metrics_output/cpu.csv; echo x > /tmp/y")
    assert shell.read_file("/root/metrics_output/cpu.csv") == "time,cpu\n1,2\nmore\n"
    assert shell.list_files("/root/metrics_output") == ("/root/metrics_output/cpu.csv",)
    with pytest.raises(FileNotFoundError):
        shell.read_file("/nope")
    with pytest.raises(IsADirectoryError):
        shell.read_file("/root")


def test_a_command_can_be_found_as_a_program(shell):
    assert shell.run("which kubectl; type kubectl; command -v kubectl; /usr/local/bin/kubectl a").stdout == (
        "/usr/local/bin/kubectl\nkubectl is /usr/local/bin/kubectl\n/usr/local/bin/kubectl\nkubectl a\n"
    )


def test_commands_that_run_commands_reach_ours(shell):
    script = (
        "sudo -u root A=1 kubectl 1; echo 2 | xargs kubectl; timeout 5 kubectl 3; sh -c 'kubectl 4'; env kubectl 5; "
        "find /etc/hosts -exec kubectl {} \\;; printf '6\\n7\\n' | xargs -I{} sudo kubectl {}; "
        "nohup kubectl 8; time kubectl 9"
    )
    words = [line.split()[1] for line in shell.run(script).stdout.splitlines()]
    assert words == ["1", "2", "3", "4", "5", "/etc/hosts", "6", "7", "8", "9"]


def test_timeout_ends_what_runs_below_it_and_no_more(shell):
    script = "timeout 5 bash -c 'while :; do echo x; sleep 2; done'; echo rc=$?; timeout 9 sleep 1; echo rc=$?"
    assert shell.run(script).output == "x\nx\nx\nrc=124\nrc=0\n"
    assert shell.cluster.now() == 1_772_442_006
    assert shell.run("timeout 9 sh -c 'timeout 3 sh -c \"sleep 9\"; echo $?; sleep 20'; echo $?").output == "124\n124\n"
    assert (
        shell.run("timeout -s KILL 1 sleep 5; echo $?; timeout 1; timeout x y; timeout 1 nope; echo $?").stdout
        == "137\n127\n"
    )


def test_a_child_shares_files_folder_and_exports(shell):
    inner = "pwd; echo $A$B; cat f1 -; echo r > f2"
    script = f"cd /tmp; export A=1; B=2; echo q > f1; echo in | timeout 9 sh -c '{inner}'; cat f2"
    assert shell.run(script).stdout == "/tmp\n1\nq\nin\nr\n"
    assert shell.run("ls /tmp").stdout == "f1\nf2\n"


def test_the_report_of_time_is_of_the_clusters_clock(shell):
    assert "real\t0m3.000s" in shell.run("time sleep 3").stderr
    assert shell.run("(time sleep 2) 2>&1 | grep real").stdout == "real\t0m2.000s\n"


def test_other_tools_see_the_clusters_times_too(shell):
    shell.run("echo a > /tmp/a; sleep 10; echo b > '/tmp/b c'")
    shell.run("sleep 10; echo c > /tmp/c")
    script = "find /tmp -type f -printf '%f %T@\\n' | cut -d. -f1 | sort; find /tmp -newer /tmp/a -name c"
    assert shell.run(script).stdout == "a 1772442000\nb c 1772442010\nc 1772442020\n/tmp/c\n"


def test_what_is_in_the_background_goes_on_while_a_command_waits(shell):
    result = shell.run(
        "(sleep 3; date +%S) & timeout 10 sleep 5; date +%S; sleep 9 & timeout 1 sleep 5; kill $!; date +%S"
    )
    assert result.stdout == "03\n05\n06\n"
    assert shell.run("(sleep 1; kubectl a) & (sleep 2; kubectl b) & wait").stdout == "kubectl a\nkubectl b\n"


def test_watch_prints_what_changes(shell):
    result = shell.run("watch -n 5 date +%H", timeout=20)
    assert result.stdout.startswith("Every 5.0s: date +%H")
    assert result.limit == "time"


def test_the_order_inside_one_command_is_kept():
    """As of `kubectl delete --force`, which warns before it tells what it did."""

    def kubectl(context, argv):
        return Printed.of([(2, "Warning: forced\n"), (1, "pod deleted\n"), (2, "done\n")], 1)

    shell = Sandbox(Timer(), 1, {"kubectl": kubectl})
    result = shell.run("echo a; kubectl delete; echo b")
    assert result.output == "a\nWarning: forced\npod deleted\ndone\nb\n"
    assert (result.stdout, result.stderr) == ("a\npod deleted\nb\n", "Warning: forced\ndone\n")
    assert shell.run("kubectl delete 2>&1 | tail -1").stdout == "done\n"
    assert shell.run("kubectl delete 2>/dev/null").output == "pod deleted\n"


def test_a_copy_goes_on_with_the_same_chance_and_files(shell):
    shell.run("echo $RANDOM > /tmp/a; mktemp")
    twin = pickle.loads(pickle.dumps(shell))
    script = "cat /tmp/a; mktemp; echo $RANDOM; ls -l --full-time /tmp"
    assert twin.run(script) == shell.run(script)


def test_a_command_reads_what_the_script_wrote_before_it():
    def kubectl(context, argv):
        return Output(context.files.read("~/x".replace("~", context.env["HOME"])))

    shell = Sandbox(Timer(), 1, {"kubectl": kubectl})
    assert (
        shell.run("echo 1 > x; kubectl; kubectl; echo 2 > x; kubectl; sed -i s/2/3/ x; kubectl").stdout
        == "1\n1\n2\n3\n"
    )
    assert shell.run("kubectl; kubectl").stdout == "3\n3\n"
    assert shell.run("timeout 9 sh -c 'echo 4 > x; kubectl'; kubectl").stdout == "4\n4\n"


@pytest.mark.parametrize(
    "script",
    [
        "echo ${x:-$(echo hi > /tmp/h)}",
        "echo $(( $(echo hi > /tmp/h; echo 1) ))",
        "a[$(echo hi > /tmp/h; echo 1)]=1",
        "cat <<E\n$(echo hi > /tmp/h)\nE",
    ],
)
def test_a_write_inside_an_expansion_belongs_to_its_shell(new_shell, script):
    one, two = new_shell(1), new_shell(2)
    one.run(script)
    assert two.run("cat /tmp/h").stdout == ""
    assert one.run("cat /tmp/h").stdout == "hi\n"
