"""Pools of connections of the C++ services, as their configuration has them."""

import json

import pytest
from thrift_town import JAEGER_YML, POOL, SERVICES, Town


def with_pool(**pool):
    """A town in which `posts` keeps connections to `names` so, for some seconds."""
    town = Town()
    services = {**SERVICES, "names": {**SERVICES["names"], **pool}}
    town.config("settings", **{"service-config.json": json.dumps(services), "jaeger-config.yml": JAEGER_YML})
    town.stop("posts")
    town.start("posts")
    town.run(20)
    return town


@pytest.mark.parametrize("size", [0, -1])
def test_a_pool_that_may_hold_nothing_lets_each_request_wait_in_vain(size):
    town = with_pool(connections=size, timeout_ms=700)
    assert town.success() == 0.0
    told = town.log("posts")[-3:]
    assert told[0].endswith("<warning>: (ClientPool.h:93:Pop) ClientPool pop timeout")
    assert told[1].endswith("<info>: (ClientPool.h:94:Pop) 0 0")
    assert told[2].endswith("(PostsHandler.h:14:Take) Failed to get the name")
    assert "take failure: Failed to connect to names" in town.log("door")[-1]
    assert not any("TSocket" in line for line in told)


def test_who_waits_longer_than_users_do_complains_when_they_have_gone():
    town = with_pool(connections=0, timeout_ms=10_000)
    assert "ClientPool pop timeout" in "".join(town.log("posts"))
    assert "lua tcp socket read timed out" in town.log("door")[-1]


def test_a_pool_that_may_hold_some_is_no_matter():
    town = with_pool(connections=1, timeout_ms=1)
    assert town.success() == 1.0
    assert "starved" not in town.row("posts")["state"]["configured"]


def test_a_pool_without_a_size_aborts_the_service():
    services = {**SERVICES, "names": {"addr": "names", "port": 9090, "timeout_ms": POOL["timeout_ms"]}}
    town = Town()
    town.config("settings", **{"service-config.json": json.dumps(services), "jaeger-config.yml": JAEGER_YML})
    town.stop("posts")
    town.start("posts")
    town.run(1)
    assert town.exits[-1] == ("posts", 134)
    assert town.log("posts")[-1].endswith("type must be number, but is null")
