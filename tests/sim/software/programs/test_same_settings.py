"""Settings that say the same in another form are the same, and what a program does not understand it refuses."""

from __future__ import annotations

import pytest

from aiops_gym.sim.kernel.blueprint import Binary, Image
from aiops_gym.sim.network import routes
from aiops_gym.sim.software import goflags
from aiops_gym.sim.software.mongo.server import Server

FULL = "consul.shop.svc.cluster.local:8500"


def _mongod(tiny, text="", **container):
    """A server with this file, started."""
    tiny.put("configmaps", "conf", data={"mongod.conf": text})
    volumes = [{"name": "conf", "configMap": {"name": "conf"}}]
    mounts = [{"name": "conf", "mountPath": "/etc/mongo"}]
    key = tiny.pod("db-0", "mongo:4.4.6", volumes, volumeMounts=mounts, **container)
    tiny.run(10)
    return key


FILE = ["--config", "/etc/mongo/mongod.conf"]


@pytest.mark.parametrize(
    ("text", "args", "auth"),
    [
        ("security:\n  authorization: enabled\n", FILE, True),
        ('security: {"authorization": "enabled"}  # as before', FILE, True),
        ("security.authorization: enabled\nnet.port: 27017", FILE, True),
        ("security:\n  # authorization: enabled\n", FILE, False),
        ("security:\n  authorization: disabled\n", FILE, False),
        ("# the old form\nauth = true\nport = 27017\n", FILE, True),
        ("noauth = true\n", FILE, False),
        ("security:\n  authorization: enabled\n", [*FILE, "--noauth"], False),
        ("security:\n  authorization: enabled\n", ["-f", "/etc/mongo/mongod.conf"], True),
        ("", ["--noauth"], False),
        ("", ["--auth"], True),
    ],
)
def test_who_is_asked_for_a_password(tiny, text, args, auth):
    assert Server(tiny.world, _mongod(tiny, text, args=args)).auth == auth


@pytest.mark.parametrize(
    ("container", "outcome"),
    [
        ({"args": ["--auth"]}, "ok"),  # the image's entry point has it listen everywhere
        ({"command": ["docker-entrypoint.sh", "mongod", "--auth"]}, "ok"),
        ({"command": ["mongod", "--auth"]}, "refused"),
        ({"command": ["sh", "-c", "exec mongod --auth"]}, "refused"),
        ({"command": ["mongod", "--auth", "--bind_ip_all"]}, "ok"),
        ({"command": ["mongod", "--bind_ip=0.0.0.0"]}, "ok"),
        ({"args": ["--bind_ip", "127.0.0.1"]}, "refused"),
    ],
)
def test_a_server_listens_where_it_is_told(tiny, container, outcome):
    _mongod(tiny, **container)
    caller = tiny.pod("caller", "busybox", command=["sleep", "infinity"])
    assert routes.dial(tiny.world, caller, "shop", tiny.address("db-0"), 27017).outcome == outcome


def test_an_option_of_the_old_form_that_there_is_not(tiny):
    key = _mongod(tiny, "author = true", args=FILE)
    assert "Error parsing INI config file: unrecognised option 'author'" in tiny.log(key)
    assert tiny.exits == [("main", 2)]


@pytest.mark.parametrize(
    ("args", "port", "outcome"),
    [
        (["-m", "64", "-p", "11212"], 11212, "ok"),
        (["-vp11212"], 11212, "ok"),
        (["--port=11212", "--memory-limit", "64"], 11212, "ok"),
        (["-l", "0.0.0.0", "-c", "1024"], 11211, "ok"),
        (["-l", "127.0.0.1"], 11211, "refused"),
        (["--listen=localhost"], 11211, "refused"),
        (["-p", "0"], 11211, "refused"),
    ],
)
def test_options_of_memcached(tiny, args, port, outcome):
    tiny.pod("cache-0", "memcached", args=args)
    caller = tiny.pod("caller", "busybox", command=["sleep", "infinity"])
    assert routes.dial(tiny.world, caller, "shop", tiny.address("cache-0"), port).outcome == outcome


def test_an_option_that_memcached_does_not_know(tiny):
    key = tiny.pod("cache-0", "memcached", args=["-q"])
    tiny.run(1)
    assert tiny.log(key) == "memcached: invalid option -- 'q'\nIllegal argument \"?\""
    assert tiny.exits == [("main", 1)]


@pytest.fixture
def shop(tiny):
    """A registry, and an image whose service takes its address as an argument."""
    steps = [{"registry": "consul:8500"}, {"listen": 8083}]
    params = {"name": "geo", "service": "srv-geo", "port": 8083, "startup": steps, "handlers": {}}
    params |= {"registry": "consul:8500", "tracer": "jaeger:6831", "flags": {"-consuladdr": "consul:8500"}}
    image = Image(binaries={"geo": Binary(program="go_service", params=params)})
    object.__setattr__(tiny.world.blueprint, "images", {**tiny.world.blueprint.images, "geo:flags": image})
    tiny.registry()
    tiny.run(3)
    return tiny


@pytest.mark.parametrize(
    "args",
    [
        [f"-consuladdr={FULL}"],
        [f"--consuladdr={FULL}"],
        ["-consuladdr", FULL],
        ["-jaegeraddr=jaeger:6831", "-consuladdr", "consul.shop:8500"],
        [],
        ["--", "-consuladdr=nowhere:1"],
    ],
)
def test_a_service_registers_at_the_address_it_is_told(shop, args):
    key = shop.pod("geo-0", "geo:flags", command=["geo"], args=args)
    shop.run(5)
    assert shop.row(key)["ports"] == [8083] and "Successfully registered in consul" in shop.log(key)


@pytest.mark.parametrize(
    ("args", "said", "code"),
    [
        (["-consul=x:1"], "flag provided but not defined: -consul", 2),
        (["-consuladdr"], "flag needs an argument: -consuladdr", 2),
        (["--help"], "Usage of geo:", 0),
        (["---x"], "bad flag syntax: ---x", 2),
    ],
)
def test_a_command_line_that_a_service_does_not_understand(shop, args, said, code):
    key = shop.pod("geo-0", "geo:flags", command=["geo"], args=args)
    shop.run(5)
    assert said in shop.log(key).split("\n")
    assert '    \tConsul address (default "consul:8500")' in shop.log(key)
    assert shop.exits == [("main", code)]


def test_what_is_said_of_a_flag_comes_first():
    with pytest.raises(goflags.FlagError, match="flag provided but not defined: -x"):
        goflags.parse(["geo", "-x"], {})
