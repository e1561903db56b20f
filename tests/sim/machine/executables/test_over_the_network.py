"""Commands over the network of containers: what effects on it do to them, and the time they take."""

from __future__ import annotations

import json

import pytest

from aiops_gym.types import Timed

MAIN = "uid-geo-0"


@pytest.fixture
def town(tiny):
    tiny.registry()
    tiny.box = tiny.pod("box", "busybox", command=["sleep", "infinity"])
    tiny.cache = tiny.pod("cache-0", "memcached")
    tiny.service("cache", 11211, {"cache-0": 11211})
    tiny.run(3)
    return tiny


def impair(town, kind: str, **params: float) -> None:
    effect = {"kind": kind, "namespace": "shop", "labels": {}, "params": params, "pod": "uid-consul-0", "since": 0}
    town.world.table("effects")["e"] = effect
    town.world.touch()


def test_a_ping_shows_delay_and_loss(town):
    address = town.address("consul-0")
    calm = town.tool(town.box, "ping", "-c", "3", address)
    assert "3 packets transmitted, 3 received, 0% packet loss" in calm.stdout
    assert calm.seconds == pytest.approx(2.0, abs=0.01)
    impair(town, "network_delay", ms=200.0)
    slow = town.tool(town.box, "ping", "-c", "3", address)
    assert all("time=20" in line for line in slow.stdout.splitlines() if "icmp_seq" in line)
    impair(town, "network_loss", percent=50.0)
    lossy = town.tool(town.box, "ping", "-c", "60", "-i", "0.2", address)
    got = int(lossy.stdout.split(" received")[0].rpartition(" ")[2])
    assert 10 < got < 50
    impair(town, "network_loss", percent=100.0)
    gone = town.tool(town.box, "ping", "-c", "2", "-W", "1", address)
    assert (gone.code, gone.seconds) == (1, 2.0)
    assert "100% packet loss" in gone.stdout


def test_nobody_answers_at_an_address_that_nobody_has(town):
    done = town.tool(town.box, "ping", "-c", "1", "10.244.9.9")
    assert "1 packets transmitted, 0 received, 100% packet loss" in done.stdout
    assert town.tool(town.box, "ping", "-c", "1", "nobody").code == 2


@pytest.mark.parametrize(
    ("argv", "code", "seconds"),
    [
        (["curl", "-s", "-m", "3", "10.244.9.9"], 28, 3.0),
        (["curl", "-s", "--connect-timeout", "2", "10.244.9.9"], 28, 2.0),
        (["wget", "-T", "4", "-qO-", "10.244.9.9"], 1, 4.0),
        (["nc", "-z", "-w", "5", "10.244.9.9", "80"], 1, 5.0),
        (["curl", "-s", "nobody"], 6, 0.0),
        (["curl", "-s", "consul:9"], 28, 134.0),
        (["curl", "-s", "cache:11211"], 1, 0.0),
        (["curl", "-sf", "consul:8500/nope"], 22, 0.0),
        (["curl", "-s", "https://consul:8500/"], 35, 0.0),
    ],
)
def test_what_is_waited_for_is_told(town, argv, code, seconds):
    done = town.tool(town.box, *argv)
    assert isinstance(done, Timed)
    assert done.code == code
    assert done.seconds == pytest.approx(seconds, abs=0.02)


def test_a_delay_is_in_the_times_of_curl(town):
    impair(town, "network_delay", ms=300.0)
    done = town.tool(
        town.box, "curl", "-s", "-o", "/dev/null", "-w", "%{time_connect} %{time_total}", "consul:8500/v1/status/leader"
    )
    connect, total = map(float, done.stdout.split())
    assert 0.3 < connect < 0.32
    assert total == pytest.approx(done.seconds, abs=1e-6)
    assert total > 0.6


def test_curl_says_what_it_does(town):
    done = town.tool(town.box, "curl", "-sv", "consul:8500/v1/status/leader")
    assert "> GET /v1/status/leader HTTP/1.1\n> Host: consul:8500\n" in done.stderr
    assert "< HTTP/1.1 200 OK\n" in done.stderr
    head = town.tool(town.box, "curl", "-sI", "consul:8500/nope").stdout
    assert head.startswith("HTTP/1.1 404 Not Found\r\n")
    assert town.tool(town.box, "curl").code == 2


def test_a_cache_answers_its_text_protocol(town):
    done = town.tool(town.box, "nc", "-w1", "cache", "11211", stdin="stats\nversion\nget x\n")
    assert "STAT curr_items 0\r\n" in done.stdout
    assert done.stdout.endswith("END\r\nVERSION 1.6.31\r\nEND\r\n")


def test_the_registry_has_a_command_line(town):
    assert "alive   server  1.19.2" in town.tool("uid-consul-0/main", "consul", "members").stdout
    assert town.tool("uid-consul-0/main", "consul", "catalog", "services").stdout == "consul\n"


def test_a_script_as_first_process_waits_for_its_tools(town):
    key = town.pod("once", "busybox", command=["sh", "-c", "nslookup cache; ping -c 3 127.0.0.1; exit 3"])
    town.run(1)
    assert town.row(key)["running"]
    town.run(3)
    assert town.exits == [("main", 3)]
    assert "3 packets transmitted" in town.log(key)


def test_a_single_tool_can_be_the_first_process(town):
    town.pod("once", "busybox", command=["nslookup", "cache"])
    town.pod("twice", "busybox", command=["curl", "-s", "nobody"])
    town.run(2)
    assert sorted(town.exits) == [("main", 0), ("main", 6)]


def test_data_of_a_seed_carry_their_time(town):
    town.database()
    town.run(8)
    town.pod("geo-0", "geo:latest", command=["geo"])
    town.run(3)
    found = town.tool(
        "uid-db-0/main",
        "mongo",
        "geo-db",
        "-u",
        "app",
        "-p",
        "app",
        "--authenticationDatabase",
        "admin",
        "--quiet",
        "--eval",
        "JSON.stringify(db.geo.findOne())",
    )
    row = json.loads(found.stdout)
    identity = row["_id"]["$oid"] if isinstance(row["_id"], dict) else row["_id"]
    assert abs(int(identity[:8], 16) - town.world.now // 1000) < 10
    assert row["hotelId"] == "1"
