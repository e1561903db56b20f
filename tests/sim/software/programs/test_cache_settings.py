"""Settings of Redis, Valkey and memcached that were given at the start or changed later, and their effect on others."""

from __future__ import annotations

import pytest
from thrift_town import Town, name_of

from aiops_gym.catalog.apps.astronomy_shop.images import IMAGES
from aiops_gym.sim.kernel.blueprint import Binary, Image
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.machine.scripts import inside
from aiops_gym.sim.software.programs import memcached
from aiops_gym.sim.traffic import timeline

OOM = "OOM command not allowed when used memory > 'maxmemory'."
NOAUTH = "NOAUTH Authentication required."


@pytest.fixture
def town():
    return Town()


def cli(town, *words):
    return town.exec("lines", "redis-cli", *words).stdout


def start_anew(town, *arguments, name="lines"):
    """The same container with other arguments."""
    row = town.row(name)
    pod = town.world.store.by_key("pods", row["pod"])
    town.stop(name)
    spec = {**pod["spec"]["containers"][0], "args": [name_of(name), *arguments]}
    assert runtime.start(town.world, pod, spec, row["attempt"] + 1) == ""
    town.run(2)


def restart(town, name):
    town.stop(name)
    town.start(name)
    town.run(1)


def put_image(tiny, name):
    """An image of the shop, to start containers of."""
    found = IMAGES[name]
    binaries = {word: Binary(**binary) for word, binary in found["binaries"].items()}
    image = Image(**{**found, "binaries": binaries})
    object.__setattr__(tiny.world.blueprint, "images", {**tiny.world.blueprint.images, name: image})
    return name


def list_clients(town):
    lines = cli(town, "client", "list").strip().splitlines()
    return [dict(word.split("=", 1) for word in line.split()) for line in lines]


def get_success(town):
    return timeline.read_current(town.world)["success"]["take"]


def test_a_password_that_is_set_later_keeps_out_who_comes_later(town):
    before = dict(town.row("lines")["state"])
    assert cli(town, "config", "set", "requirepass", "x") == "OK\n"
    town.run(20)
    assert cli(town, "dbsize").startswith(NOAUTH)
    assert get_success(town) > 0.99
    restart(town, "posts")
    assert get_success(town) == 0.0
    town.run(3)
    assert any(line.endswith(NOAUTH) for line in town.log("posts"))
    assert cli(town, "-a", "x", "config", "set", "requirepass", "") == "OK\n"
    assert get_success(town) > 0.99
    town.run(5)
    after = town.row("lines")["state"]
    assert after == before
    assert "unseated" not in town.row("posts")["state"]["configured"]


def test_a_server_that_starts_anew_has_forgotten_the_password(town):
    cli(town, "config", "set", "requirepass", "x")
    restart(town, "posts")
    assert get_success(town) == 0.0
    restart(town, "lines")
    assert get_success(town) > 0.99
    assert cli(town, "ping") == "PONG\n"


def test_a_password_of_the_command_line_can_be_taken_back(town):
    start_anew(town, "--requirepass", "x")
    assert get_success(town) == 0.0
    assert town.row("lines")["state"]["set"] == {"requirepass": "x"}
    cli(town, "-a", "x", "config", "set", "requirepass", "y")
    assert get_success(town) == 0.0
    cli(town, "-a", "y", "config", "set", "requirepass", "")
    assert get_success(town) > 0.99
    assert "set" not in town.row("lines")["state"]


def test_without_memory_it_takes_no_writes(town):
    town.run(20)
    assert cli(town, "config", "set", "maxmemory", "1") == "OK\n"
    assert get_success(town) == 0.0
    assert cli(town, "set", "a", "1").startswith(OOM)
    assert cli(town, "get", "a") == "\n"
    assert int(cli(town, "dbsize")) > 0
    town.run(5)
    assert any(line.endswith(OOM) for line in town.log("posts"))
    assert cli(town, "config", "set", "maxmemory", "0") == "OK\n"
    assert get_success(town) > 0.99
    assert cli(town, "set", "a", "1") == "OK\n"


def test_too_little_memory_from_the_start(town):
    start_anew(town, "--maxmemory", "1kb")
    assert get_success(town) == 0.0
    town.run(30)
    assert cli(town, "dbsize") == "0\n"
    assert cli(town, "config", "get", "maxmemory") == "maxmemory\n1024\n"
    assert town.row("lines")["state"]["set"] == {"maxmemory": "1024"}


def test_memory_fills_until_it_takes_no_more_writes_and_again_when_emptied(town):
    start_anew(town, "--maxmemory", "900kb")
    assert get_success(town) > 0.99
    town.run(60)
    assert get_success(town) == 0.0
    assert cli(town, "flushall") == "OK\n"
    assert get_success(town) > 0.99
    cli(town, "config", "set", "maxmemory-policy", "allkeys-lru")
    town.run(60)
    assert get_success(town) > 0.99


def test_what_is_set_is_told_and_what_is_undone_is_not(town):
    start_anew(town, "--maxclients", "5000", "--port", "6379")
    assert town.row("lines")["state"]["set"] == {"maxclients": "5000"}
    cli(town, "config", "set", "maxmemory-policy", "allkeys-lru")
    assert town.row("lines")["state"]["set"] == {"maxclients": "5000", "maxmemory-policy": "allkeys-lru"}
    cli(town, "config", "set", "maxmemory-policy", "noeviction")
    cli(town, "config", "set", "maxclients", "10000")
    assert "set" not in town.row("lines")["state"]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("maxmemory", "2x", "ERR Invalid argument '2x' for CONFIG SET 'maxmemory' - argument must be a memory value"),
        ("nonsense", "1", "ERR Unsupported CONFIG parameter: nonsense"),
        ("databases", "1", "ERR Unsupported CONFIG parameter: databases"),
    ],
)
def test_a_value_that_makes_no_sense_changes_nothing(name, value, said):
    town = Town()
    assert cli(town, "config", "set", name, value) == f"{said}\n\n"
    assert "set" not in town.row("lines")["state"]


def test_a_port_that_is_changed_is_the_one_to_connect_to(town):
    cli(town, "config", "set", "port", "7000")
    assert town.exec("lines", "redis-cli", "ping").code == 1
    assert cli(town, "-p", "7000", "ping") == "PONG\n"
    cli(town, "-p", "7000", "config", "set", "port", "6379")
    assert get_success(town) > 0.99


def test_clients_are_those_that_are_connected_since_they_are(town):
    town.run(100)
    restart(town, "posts")
    town.run(59)
    *found, own = list_clients(town)
    assert own["addr"].startswith("127.0.0.1:") and own["id"] == cli(town, "client", "id").strip()
    assert {each["addr"].split(":")[0] for each in found} == {town.row("posts")["ip"]}
    assert all(57 <= int(each["age"]) <= 60 for each in found) and len({each["addr"] for each in found}) == len(found)
    assert "connected_clients:4" in cli(town, "info", "clients")
    town.stop("posts")
    town.run(1)
    assert len(list_clients(town)) == 1


def test_valkey_comes_with_its_own_names(tiny):
    name = put_image(tiny, "valkey/valkey:9.0.1-alpine3.23")
    key = tiny.pod("store", name)
    tiny.run(2)

    def run(*words):
        return inside.execute_beside(tiny.world, key, words)

    assert [run(word, "ping").stdout for word in ("valkey-cli", "redis-cli")] == ["PONG\n"] * 2
    assert run("valkey-cli", "--version").stdout == "valkey-cli 9.0.1\n"
    assert run("valkey-server", "--version").stdout.startswith("Valkey server v=9.0.1 ")
    assert run("sh", "-c", "which valkey-cli; pwd").stdout == "/usr/local/bin/valkey-cli\n/data\n"
    told = run("valkey-cli", "info", "server").stdout
    assert all(word in told for word in ("redis_version:7.2.4", "server_name:valkey", "valkey_version:9.0.1"))
    assert "immutable" in run("valkey-cli", "config", "set", "databases", "2").stdout
    assert "Could not connect to Valkey" in run("valkey-cli", "-p", "1", "ping").stderr
    assert "valkey-server /path/to/valkey.conf" in tiny.log(key)


def test_a_shell_as_the_command_of_a_container_does_what_it_says_and_ends(tiny):
    name = put_image(tiny, "valkey/valkey:9.0.1-alpine3.23")
    key = tiny.pod("asks", name, args=["valkey-cli", "--version"])
    tiny.run(1)
    assert (tiny.log(key), tiny.row(key)["exit"]["code"]) == ("valkey-cli 9.0.1", 0)


@pytest.mark.parametrize(
    ("container", "why"),
    [
        ({}, ""),
        ({"command": ["./cart"]}, ""),
        ({"command": ["/usr/src/app/cart"]}, ""),
        ({"command": ["./cart"], "workingDir": "/tmp"}, 'exec: "./cart": stat ./cart: no such file or directory'),
        ({"command": ["cart"]}, 'exec: "cart": executable file not found in $PATH'),
    ],
)
def test_a_command_is_looked_for_from_where_the_image_starts(tiny, container, why):
    image = put_image(tiny, next(name for name in IMAGES if name.endswith("-cart")))
    pod = tiny.put("pods", "cart", spec={"containers": []}, status={"podIP": "10.244.1.9"})
    outcome = runtime.start(tiny.world, pod, {"name": "main", "image": image, **container}, 0)
    assert (why in outcome.message) if why else outcome == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-c", "1"], "Maxconns setting is too low, use -c to increase."),
        (["-c", "0"], "Maximum connections must be greater than 0"),
        (["-t", "0"], "Number of threads must be greater than 0"),
    ],
)
def test_numbers_with_which_memcached_does_not_start(tiny, options, said):
    key = tiny.pod("cache", "memcached", args=options)
    tiny.run(1)
    assert (tiny.log(key), tiny.row(key)["exit"]["code"]) == (said, memcached.FAILURE)


def test_what_memcached_was_told(tiny):
    key = tiny.pod("cache", "memcached", args=["-m", "8", "-c", "24", "-p", "11211", "-t", "4"])
    row = tiny.row(key)
    assert row["state"]["set"] == {"m": "8", "c": "24"}
    told = program_of(tiny.world, row).talk(tiny.world, row, "stats\r\n")
    assert "STAT limit_maxbytes 8388608\r\n" in told and "STAT max_connections 24\r\n" in told
    assert "set" not in Container(tiny.world, tiny.pod("other", "memcached", args=["-m64"])).state
