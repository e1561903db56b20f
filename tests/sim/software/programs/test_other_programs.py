"""Shells, daemons, registries, and the small tools of a container."""

from __future__ import annotations

import json

import pytest

from aiops_gym.errors import BackendError
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.program import Program
from aiops_gym.sim.software import programs


def test_every_file_in_the_folder_is_a_program():
    assert {"consul", "go_service", "idle", "jaeger", "memcached", "mongod", "pause", "sh"} <= set(
        programs.list_kinds()
    )
    assert all(isinstance(programs.find(kind), Program) for kind in programs.list_kinds())
    with pytest.raises(BackendError, match="no program of kind 'nope'"):
        programs.find("nope")


@pytest.mark.parametrize(
    ("script", "lines", "code"),
    [
        ("echo hello; exit 3", ["hello"], 3),
        ("false && echo no || echo yes", ["yes"], 0),
        ("true && echo $NAME", ["geo"], 0),
        ("sleep 2\necho late\nfalse", ["late"], 1),
        ("nonsense", ["sh: 1: nonsense: not found"], 127),
        ("cat /etc/hostname", ["box"], 0),
        ("echo 'unclosed", ["sh: 1: Syntax error: Unterminated quoted string"], 2),
    ],
)
def test_a_start_script_runs_and_ends(tiny, script, lines, code):
    key = tiny.pod("box", "busybox", command=["sh", "-c", script], env=[{"name": "NAME", "value": "geo"}])
    tiny.run(5)
    assert [line for _, line in tiny.row(key)["log"]] == lines
    assert tiny.exits == [("main", code)]


@pytest.mark.parametrize(
    "command",
    [
        ["sleep", "infinity"],
        ["sh", "-c", "while true; do echo tick; sleep 10; done"],
        ["sh", "-c", "while true; do :; done"],
        ["tail", "-f", "/dev/null"],
    ],
)
def test_what_never_ends_stays_until_it_is_killed(tiny, command):
    key = tiny.pod("box", "busybox", command=command)
    tiny.run(25)
    runtime.signal(tiny.world, key, "TERM")
    tiny.run(5)
    assert tiny.row(key)["running"]
    runtime.signal(tiny.world, key, "KILL")
    tiny.run(1)
    assert tiny.exits == [("main", 137)]


def test_a_loop_says_what_it_says_again_and_again(tiny):
    key = tiny.pod("box", "busybox", command=["sh", "-c", "while true; do echo tick; sleep 10; done"])
    tiny.run(25)
    assert tiny.log(key) == "tick\ntick\ntick"


def test_a_trap_decides_the_exit_code(tiny):
    key = tiny.pod("box", "busybox", command=["sh", "-c", "trap 'exit 7' TERM; sleep 100 & wait"])
    tiny.run(1)
    runtime.signal(tiny.world, key, "TERM")
    tiny.run(1)
    assert tiny.exits == [("main", 7)]


def test_a_shell_without_a_terminal_ends_at_once(tiny):
    tiny.pod("box", "busybox")
    tiny.run(1)
    assert tiny.exits == [("main", 0)]


def test_background_lines_do_not_depend_on_how_they_are_asked_for(tiny):
    key = tiny.database()
    tiny.run(200)
    row, program = tiny.row(key), programs.find("mongod")
    start = row["started"]
    whole = program.background(row, start, start + 200_000, 7)
    parts = [
        line for at in range(0, 200_000, 10_000) for line in program.background(row, start + at, start + at + 10_000, 7)
    ]
    assert whole == parts
    assert len(whole) == 3
    assert all(json.loads(line)["msg"] == "WiredTiger message" for _, line in whole)


def test_the_registry_answers_over_http_from_another_pod(tiny):
    tiny.database()
    tiny.registry()
    tiny.run(10)
    tiny.pod("geo-0", "geo:latest", command=["geo"])
    tiny.run(3)
    box = tiny.pod("box", "busybox", command=["sleep", "infinity"])
    out = tiny.tool(box, "curl", "-s", "http://consul:8500/v1/catalog/services")
    assert json.loads(out.stdout) == {"consul": [], "srv-geo": []}
    out = tiny.tool(box, "curl", "-s", "consul:8500/v1/health/service/srv-geo?passing")
    assert json.loads(out.stdout)[0]["Service"]["Address"] == tiny.address("geo-0")
    assert tiny.tool(box, "curl", "-s", "http://consul:8500/nope").code == 0
    assert tiny.tool(box, "curl", "http://nowhere:80/").stderr == "curl: (6) Could not resolve host: nowhere\n"
    assert tiny.tool(box, "wget", "-qO-", "http://consul:8500/v1/status/leader").stdout == '"127.0.0.1:8300"\n'


def test_names_ports_and_processes_can_be_looked_up(tiny):
    box = tiny.pod("box", "busybox", command=["sleep", "infinity"])
    tiny.pod("cache-0", "memcached")
    tiny.service("cache", 11211, {"cache-0": 11211}, ip="10.96.0.9")
    assert "Name:\tcache.shop.svc.cluster.local\nAddress: 10.96.0.9" in tiny.tool(box, "nslookup", "cache").stdout
    assert "can't find nobody: NXDOMAIN" in tiny.tool(box, "nslookup", "nobody").stdout
    assert tiny.tool(box, "nc", "-zv", "cache", "11211").stderr.endswith("succeeded!\n")
    assert tiny.tool(box, "nc", "-z", "cache", "1").code == 1
    assert tiny.tool(box, "hostname").stdout == "box\n"
    assert "sleep infinity" in tiny.tool(box, "ps", "aux").stdout
    assert tiny.tool(box, "getent", "hosts", "cache").stdout.split() == ["10.96.0.9", "cache.shop.svc.cluster.local"]
