"""Calls between C++ services and their stores: what breaks them, who says what, and what reaches the user."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thrift_town import POOL, PORTS, SERVICES, START, Town
from toy_shop import looked_up_anew

from aiops_gym.errors import BackendError
from aiops_gym.sim import traffic
from aiops_gym.sim.traffic import clients, stream, timeline

REFUSED = "connect() failed: Connection refused"


@pytest.fixture
def town():
    return Town()


def statuses(town, seconds=3):
    return {
        request.status for request in traffic.list_requests(town.world, town.world.now - seconds * 1000, town.world.now)
    }


def test_a_town_in_order_serves_everybody(town):
    assert town.success() == 1.0
    assert statuses(town, 2) == {200}
    assert 1.0 < traffic.compute_latency(town.world)["take"] < 10.0


def test_a_wrong_port_of_a_service_refuses_and_the_socket_speaks_before_the_pool(town):
    town.endpoints("names", 9999)
    town.run(3)
    assert town.success() == 0.0
    socket, pool, caught = town.log("posts")[-3:]
    assert socket.endswith("TSocket::open() connect() <Host: names Port: 9090>: Connection refused")
    assert socket.startswith("Thrift: Mon Mar  2 09:00:")
    assert pool.endswith("<error>: (ClientPool.h:114:Pop) Failed to connect names-client")
    assert caught.endswith("<error>: (PostsHandler.h:14:Take) Failed to get the name")
    assert not any("Failed to send" in line for line in town.log("posts"))
    assert f"take.lua:62: Take(): take failure: {REFUSED}, client: " in town.log("door")[-1]
    assert statuses(town, 2) == {500}


def test_what_one_failed_call_leaves_stays_together(town):
    town.endpoints("names", 9999)
    town.run(20)
    lines = [line for line in town.log("posts") if "TSocket" in line or "Pop" in line or "Take" in line]
    kinds = ["TSocket" if "TSocket" in line else "Pop" if "Pop" in line else "Take" for line in lines]
    assert kinds == ["TSocket", "Pop", "Take"] * (len(kinds) // 3)


def test_a_name_that_nobody_has_is_not_resolved(town):
    services = {**SERVICES, "names": {"addr": "nobody", "port": 9090, **POOL}}
    town.config(
        "settings", **{"service-config.json": json.dumps(services), "jaeger-config.yml": "sampler: {type: const}"}
    )
    assert town.success() == 1.0, "what is mounted is read at the start"
    town.stop("posts")
    town.start("posts")
    town.run(4)
    assert town.success() == 0.0
    assert "getaddrinfo() <Host: nobody Port: 9090>Name or service not known" in "".join(town.log("posts"))
    assert "take failure: Could not resolve host for client socket." in town.log("door")[-1]


def test_another_server_at_the_port_hangs_up_and_one_without_the_method_says_so(town):
    services = {**SERVICES, "names": {"addr": "db", "port": 27017, **POOL}}
    for wrong, text in ((services, "No more data to read."), (None, "Invalid method name: 'Find'")):
        if wrong is None:
            services = {**SERVICES, "names": {"addr": "posts", "port": 9090, **POOL}}
        town.config("settings", **{"service-config.json": json.dumps(services), "jaeger-config.yml": "{}"})
        town.stop("posts")
        town.start("posts")
        town.run(4)
        assert town.success() == 0.0
        assert f"take failure: {text}" in town.log("door")[-1]
        assert any("(PostsHandler.h:12:_Find) Failed to send find to names" in line for line in town.log("posts"))


@pytest.mark.parametrize(
    ("store", "line", "heard"),
    [
        (
            "db",
            "MongoDB error: No suitable servers found: `serverSelectionTimeoutMS` expired: "
            "[connection refused calling ismaster on 'db:27017']",
            "Failed to insert the post",
        ),
        ("lines", "Failed to connect to Redis: Connection refused", "Failed to connect to Redis: Connection refused"),
    ],
)
def test_a_lost_store_is_told_of_and_its_caller_chooses_what_goes_up(town, store, line, heard):
    town.stop(store)
    town.run(3)
    assert town.success() == 0.0
    assert any(one.endswith(line) for one in town.log("posts")[-4:])
    assert f"take failure: {heard}, client: " in town.log("door")[-1]


def test_a_lost_cache_that_is_ignored_is_only_told_of(town):
    town.stop("cache")
    town.run(3)
    assert town.success() == 1.0
    assert any("<warning>: (NamesHandler.h:6:Find) cache: CONNECTION FAILURE" in line for line in town.log("names"))


def test_a_server_that_looks_for_its_database_takes_its_time(town):
    before = traffic.compute_latency(town.world)["take"]
    town.stop("db")
    town.run(1)
    assert traffic.compute_latency(town.world)["take"] > before + 250


def test_a_healthy_handler_may_say_something_of_each_request(town):
    said = [line for line in town.log("names") if "not found" in line]
    requests = traffic.list_requests(town.world, START, town.world.now)
    assert len(said) == sum(request.status == 200 for request in requests)
    assert len({line.partition("user_id: ")[2] for line in said}) > 20


def test_a_front_that_cannot_connect_gives_its_own_page_and_says_why(town):
    town.stop("posts")
    town.run(3)
    connect, aborted = town.log("door")[-2:]
    assert "[error] 15#15: *" in connect
    assert "connect() failed (111: Connection refused), client: 10.244.1.1, server: localhost, request:" in connect
    assert "lua entry thread aborted: runtime error: unknown reason" in aborted
    assert 'request: "POST http://localhost:8080/take HTTP/1.1", host: "10.96.1.4:8080"' in aborted


def test_a_delay_beyond_patience_ends_at_the_front(town):
    town.world.table("effects")["slow"] = {"kind": "network_delay", "params": {"ms": 12_000}, "pod": "uid-names"}
    town.world.touch()
    town.run(15)
    assert town.success() == 0.0
    assert any("lua tcp socket read timed out" in line for line in town.log("door"))
    assert not any("<error>" in line and "find" in line for line in town.log("posts"))


def test_lines_do_not_depend_on_how_many_are_asked_for(town):
    town.endpoints("names", 9999)
    town.run(90)
    town.endpoints("names", 9090)
    town.run(30)
    whole = stream.list_failures(town.world, "uid-posts/main", START, town.world.now)
    stream._cache.clear()
    parts = []
    for start in range(START, town.world.now, 7_000):
        parts += stream.list_failures(town.world, "uid-posts/main", start, min(start + 7_000, town.world.now))
    assert parts == whole
    assert len(whole) > 300


def test_a_language_without_a_library_for_a_call_is_a_mistake():
    with pytest.raises(BackendError, match="programs in 'lua' make no calls of kind 'redis'"):
        clients.find("lua", "redis")


def test_libraries_have_names_of_their_own():
    names = [client.name for kinds in clients.load_clients().values() for client in kinds.values()]
    assert len(names) == len(set(names))
    assert all(clients.find_by_name(name).name == name for name in names)


CHANGES = {
    "stop": lambda town, name: town.stop(name),
    "start": lambda town, name: town.start(name),
    "no endpoints": lambda town, name: town._put("endpoints", name, subsets=[]),
    "other port": lambda town, name: town.endpoints(name, 9999),
    "right port": lambda town, name: town.endpoints(name, PORTS[name]),
    "tls": lambda town, name: _wire(town, "db", tls="requireTLS"),
    "secure client": lambda town, name: _wire(town, "posts", tls=True),
    "local": lambda town, name: _wire(town, name, local=[PORTS[name]]),
    "elsewhere": lambda town, name: _wire(town, "posts", addresses={**_addresses(town), "names": [name, PORTS[name]]}),
    "sample": lambda town, name: _wire(town, "door", sample=0.5),
    "paths": lambda town, name: _wire(town, "door", paths=["/other"]),
    "password": lambda town, name: _wire(town, "lines", auth=True),
}


def _wire(town, name, **fields):
    row = town.row(name)
    table = town.world.table("processes")
    table[f"uid-{name}/main"] = {
        **row,
        "state": {**row["state"], "configured": {**row["state"].get("configured", {}), **fields}},
    }


def _addresses(town):
    known = {name: [SERVICES[name]["addr"], SERVICES[name]["port"]] for name in ("names", "db", "lines", "cache")}
    return town.row("posts")["state"].get("configured", {}).get("addresses", known)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.sampled_from(sorted(PORTS))), min_size=1, max_size=6))
def test_what_is_remembered_of_a_wired_world_is_what_would_be_found(changes):
    town = Town()
    town.success()
    for kind, name in changes:
        CHANGES[kind](town, name)
        town.world.touch()
        anew = looked_up_anew(town.world)
        town.world.settle()
        assert timeline.read_newest(town.world) == anew
