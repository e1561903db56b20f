"""Scripts of containers: what they print, how they end, and when."""

from __future__ import annotations

import json

import pytest
from effort import calls

from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.scripts.parser import ScriptError, parse

Json = object


def play(tiny, script: str, seconds: int = 30, **fields: Json) -> tuple[list[str], list[int]]:
    """(lines, exit codes) of a container that runs the script."""
    key = tiny.pod("box", "busybox", command=["/bin/sh", "-c", script], **fields)
    tiny.run(seconds)
    return [line for _, line in tiny.row(key)["log"]], [code for _, code in tiny.exits]


@pytest.mark.parametrize(
    ("script", "lines", "codes"),
    [
        ("for i in 1 2 3; do echo $i; done", ["1", "2", "3"], [0]),
        ("i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; echo $i; exit $i", ["3"], [3]),
        ("until test -f /tmp/x; do touch /tmp/x; done; ls /tmp", ["x"], [0]),
        ("if false; then echo a; elif true; then echo b; else echo c; fi", ["b"], [0]),
        ("case app-1 in web*) echo no;; app-*|x) echo yes;; esac", ["yes"], [0]),
        ("greet() { echo hi $1; return 4; }; greet you; exit $?", ["hi you"], [4]),
        ("(exit 3); echo $?; x=1; (x=2); echo $x", ["3", "1"], [0]),
        ("set -e; false || echo kept; false; echo never", ["kept"], [1]),
        ("set -e; if false; then :; fi; ! true; echo on", ["on"], [0]),
        ("mkdir -p /a/b && echo one > /a/b/c && echo two >> /a/b/c; cat /a/b/c", ["one", "two"], [0]),
        ("echo x > /no/such; echo $?", ["/bin/sh: 1: cannot create /no/such: Directory nonexistent", "2"], [0]),
        ("echo err >&2; ls /nope 2>/dev/null || echo gone", ["err", "gone"], [0]),
        ("printf '%s=%d\\n' a 1 b 2; echo -n no; echo w", ["a=1", "b=2", "now"], [0]),
        ('x=$(echo a b | wc -w); echo ${x}; echo "${y:-none}" ${#x}', ["2", "none 1"], [0]),
        ("f=/a/b/c.txt; echo ${f##*/} ${f%/*} $(basename $f .x)", ["c.txt /a/b c.txt"], [0]),
        ("cat <<EOF\nline $((1+1))\nEOF\ncat <<'EOF'\n$x\nEOF", ["line 2", "$x"], [0]),
        ("while read a b; do echo $b $a; done <<EOF\n1 2\n3 4\nEOF", ["2 1", "4 3"], [0]),
        ("sh -c 'echo in $1; exit 5' sh it; echo $?", ["in it", "5"], [0]),
        ("for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done", ["1", "3"], [0]),
        ("trap 'echo bye' EXIT; exit 6", ["bye"], [6]),
        ("sleep 1 & sleep 2 & wait; echo all", ["all"], [0]),
        ("(sleep 1; exit 7) & wait $!; echo $?", ["7"], [0]),
        ("sleep 100 & kill $!; wait; echo killed", ["killed"], [0]),
        ("(exit 3) & sleep 1; wait $!; echo $?; sleep 9 & kill $!; wait $!; echo $?", ["3", "143"], [0]),
        ("x=5; echo $((x << 1)) $((x > 3 ? x : -x)) $((x += 2)) $x $((~0 & 0x1f))", ["10 5 7 7 31"], [0]),
        ("timeout 2 sleep 9; echo $?; timeout 5 sh -c 'echo in; exit 3'; echo $?", ["124", "in", "3"], [0]),
        ("set -u; echo $nosuch; echo no", ["/bin/sh: 1: nosuch: parameter not set"], [2]),
        ("x=$(ls /nope); echo [$x]", ["ls: cannot access '/nope': No such file or directory", "[]"], [0]),
        ("head -c 5 /dev/zero | wc -c; dd if=/dev/zero of=/d bs=1k count=3 2>/dev/null; wc -c </d", ["5", "3072"], [0]),
        ("echo ~ $HOME", ["/root /root"], [0]),
        ("exec echo last; echo never", ["last"], [0]),
        ("nonsense --x; echo $?", ["/bin/sh: 1: nonsense: not found", "127"], [0]),
        ("if true; then", ['/bin/sh: 1: Syntax error: end of file unexpected (expecting "fi")'], [2]),
        ('A=1 env | grep -c ^A=; echo "[$A]"', ["1", "[]"], [0]),
        ("test 1 -eq 1 -a ! -d /nope && [ -z '' ] && echo yes", ["yes"], [0]),
    ],
)
def test_a_script_does_what_a_shell_does(tiny, script, lines, codes):
    assert play(tiny, script) == (lines, codes)


def test_a_signal_waits_for_the_command_in_the_foreground(tiny):
    key = tiny.pod("box", "busybox", command=["sh", "-c", "trap 'echo bye; exit 9' TERM; sleep 10; echo no"])
    tiny.run(2)
    runtime.signal(tiny.world, key, "TERM")
    tiny.run(5)
    assert tiny.row(key)["running"]
    tiny.run(5)
    assert (tiny.log(key), tiny.exits) == ("bye", [("main", 9)])


def test_a_signal_ends_a_wait_at_once(tiny):
    key = tiny.pod("box", "busybox", command=["sh", "-c", "trap 'exit 9' TERM; sleep 100 & wait"])
    tiny.run(2)
    runtime.signal(tiny.world, key, "TERM")
    tiny.run(1)
    assert tiny.exits == [("main", 9)]


@pytest.mark.parametrize(
    "script",
    ["tail /dev/zero", "cat /dev/zero | tail", "dd if=/dev/zero of=/dev/null bs=1G", "head -c 1G /dev/zero | tail"],
)
def test_who_takes_more_memory_than_there_is_gets_killed(tiny, script):
    limits = {"limits": {"memory": "24Mi"}}
    assert play(tiny, f"sleep 2; {script}; echo alive", resources=limits)[1] == [137]
    assert tiny.row(next(iter(tiny.world.table("processes"))))["exit"]["reason"] == "OOMKilled"


def test_a_file_written_to_a_disk_has_its_size(tiny):
    key = tiny.pod("box", "busybox", command=["sh", "-c", "dd if=/dev/zero of=/tmp/big bs=1M count=30; sleep 9"])
    tiny.run(2)
    assert tiny.row(key)["state"]["sizes"] == {"/tmp/big": 30 << 20}


def test_an_endless_loop_does_not_hold_the_clock(tiny):
    key = tiny.pod("box", "busybox", command=["sh", "-c", "while true; do :; done"])
    tiny.run(600)
    assert tiny.row(key)["running"]


def test_a_server_in_a_script_can_be_asked(tiny):
    script = "mkdir /www; echo hello > /www/index.html; httpd -f -p 8080 -h /www"
    tiny.pod("web-0", "busybox", command=["sh", "-c", script])
    box = tiny.pod("box", "busybox", command=["sleep", "infinity"])
    tiny.run(2)
    url = f"http://{tiny.address('web-0')}:8080"
    assert tiny.tool(box, "wget", "-qO-", f"{url}/").stdout == "hello\n"
    assert tiny.tool(box, "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", f"{url}/x").stdout == "404"


def test_a_script_in_the_middle_of_its_work_is_data(tiny):
    key = tiny.pod("box", "busybox", command=["sh", "-c", "for i in 1 2 3; do sleep 2 & wait; echo $i; done; exit 3"])
    tiny.run(3)
    base = tiny.world.fork()
    difference = json.loads(json.dumps(tiny.world.difference(base)))
    twin = base.fork()
    twin.become(difference)
    twin.run(10_000)
    tiny.run(10)
    assert twin.table("processes")[key]["log"] == tiny.row(key)["log"]


@pytest.mark.parametrize("text", ["if true", "echo 'a", "(echo", "while", "for x in; do", "a | | b", "fi", "$(", "<<"])
def test_what_no_shell_takes_is_refused(text):
    with pytest.raises(ScriptError):
        parse(text)


@pytest.mark.parametrize(
    "script",
    [
        "f() { $(f) $(f) $(f); }; f",
        "f() { f; }; f",
        "x=aaaaaaaaaa; while true; do x=$x$x$x; done",
        "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab | grep '\\(a+\\)+$'",
        "[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab =~ (a|a)*$ ]]",
        "(" * 500 + ")" * 500,
        "echo $((" + "(" * 300 + "1" + ")" * 300 + "))",
        "printf '%99999999999d' 1",
        "f() { f | f | f & }; f",
    ],
)
def test_a_hostile_script_ends_or_goes_on_quietly(tiny, script):
    assert calls(lambda: play(tiny, script, seconds=60)) < 200_000
