"""How a Go service starts, and how it ends when it cannot have what it needs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from aiops_gym.sim.kernel.blueprint import Binary, Image
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.traffic.graph import list_registered


@pytest.fixture
def town(tiny):
    tiny.db = tiny.database("--auth")
    tiny.consul = tiny.registry()
    tiny.run(10)
    return tiny


def _start(town):
    return town.pod("geo-0", "geo:latest", command=["geo"])


def test_a_healthy_service_logs_registers_and_listens(town):
    key = _start(town)
    town.run(3)
    lines = town.log(key).split("\n")
    assert [json.loads(line)["message"] for line in lines[:3]] == [
        "TLS disabled.",
        "Set global log level: info",
        "Tune: setGCPercent to 100",
    ]
    assert lines[3] == "2026-03-02T09:00:10Z INF cmd/geo/main.go:32 > Reading config..."
    messages = [line.partition(" > ")[2] for line in lines[4:]]
    assert messages[:3] == ["New session successfull...", "Generating test data...", "Successfull"]
    assert messages[3].startswith("Trying to register service [ name: srv-geo, id: ")
    assert messages[3].endswith(f"address: {town.address('geo-0')}:8083 ]")
    assert messages[4] == "Successfully registered in consul"
    assert town.row(key)["ports"] == [8083]
    assert list_registered(town.world, "srv-geo") == [[town.address("geo-0"), 8083]]


def test_without_a_database_it_panics_after_ten_seconds(town):
    town.service("db", 1, {"db-0": 27017})
    key = _start(town)
    town.run(9.5)
    assert town.row(key)["running"]
    town.run(1.5)
    assert town.exits == [("main", 2)]
    text = town.log(key)
    assert "PNC cmd/geo/db.go:29 > no reachable servers\npanic: no reachable servers\n\ngoroutine 1 [running]:" in text


def test_an_unknown_user_is_a_panic_at_once(town):
    town.tool(town.db, "mongo", "admin", "-u", "app", "-p", "app", "--quiet", "--eval", "db.dropUser('app')")
    key = _start(town)
    town.run(1)
    assert town.exits == [("main", 2)]
    assert "panic: server returned error on SASL authentication step: Authentication failed." in town.log(key)
    assert 'UserNotFound: Could not find user \\"app\\" for db \\"admin\\"' in town.log(town.db)


def test_a_revoked_role_is_fatal_when_the_data_is_looked_for(town):
    script = "db.revokeRolesFromUser('app', [{role: 'readWrite', db: 'geo-db'}])"
    town.tool(town.db, "mongo", "admin", "-u", "app", "-p", "app", "--quiet", "--eval", script)
    key = _start(town)
    town.run(1)
    assert town.exits == [("main", 1)]
    refused = 'not authorized on geo-db to execute command { count: "geo", query: { hotelId: "1", lat: 37.7 }'
    assert f"FTL cmd/geo/db.go:42 > {refused}" in town.log(key)
    assert '"msg":"Checking authorization failed"' in town.log(town.db)


def test_without_a_registry_it_cannot_go_on(town):
    town.service("consul", 8500, {})
    key = _start(town)
    town.run(1)
    assert town.exits == [("main", 1)]
    assert 'failed register: Put "http://consul:8500/v1/agent/service/register": dial tcp 10.96.' in town.log(key)


def test_a_term_is_not_handled_and_the_registration_lingers(town):
    key = _start(town)
    town.run(3)
    runtime.signal(town.world, key, "TERM")
    town.run(1)
    assert town.exits == [("main", 2)]
    assert '"msg":"Connection ended"' in town.log(town.db).rpartition("Connection accepted")[2]
    assert _registrations(town) == 1
    town.restart("geo-0")
    town.run(3)
    assert _registrations(town) == 2
    assert list_registered(town.world, "srv-geo") == [[town.address("geo-0"), 8083]]  # who asks hears each address once


def _registrations(town):
    row = town.world.table("processes")[town.consul]
    return len(program_of(town.world, row).registrations(row))


def test_a_restarted_registry_has_forgotten_everybody(town):
    _start(town)
    town.run(3)
    runtime.signal(town.world, town.consul, "KILL")
    town.restart("consul-0")
    town.run(3)
    assert list_registered(town.world, "srv-geo") == []


def test_a_network_that_loses_nearly_everything_is_as_no_database(town):
    town.world.table("effects")["x"] = {"kind": "network_delay", "pod": "uid-db-0", "params": {"ms": 10_000}}
    _start(town)
    town.run(12)
    assert town.exits == [("main", 2)]


def test_the_test_data_is_made_once(town):
    key = _start(town)
    town.run(3)
    assert town.row(key)["ports"] == [8083]
    town.restart("geo-0")
    town.run(3)
    script = "db.geo.count()"
    out = town.tool(
        town.db,
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
        script,
    )
    assert out.stdout == "3\n"


def test_a_registry_whose_packets_vanish_is_given_up_after_half_a_minute(town):
    subsets = [{"addresses": [{"ip": "10.244.9.9"}], "ports": [{"name": "p", "port": 8500}]}]
    town.put("endpoints", "consul", subsets=subsets)
    key = _start(town)
    town.run(29)
    assert town.row(key)["running"]
    town.run(3)
    assert town.exits == [("main", 1)]
    lines = town.log(key).split("\n")
    assert [line.partition(" > ")[2][:6] for line in lines[-2:]] == ["Trying", "failed"]
    assert lines[-1].endswith(":8500: i/o timeout")


def test_a_registry_that_comes_back_in_time_is_registered_with(town):
    town.put(
        "endpoints", "consul", subsets=[{"addresses": [{"ip": "10.9.9.9"}], "ports": [{"name": "p", "port": 8500}]}]
    )
    key = _start(town)
    town.run(10)
    town.service("consul", 8500, {"consul-0": 8500})
    town.run(25)
    assert "Successfully registered in consul" in town.log(key)
    assert town.log(key).count("Trying to register") == 1


FILE = "/workspace/config.json"
HERE = {"DbAddress": "db:27017", "consulAddress": "consul:8500"}
READING = {"settings": {"file": FILE, "values": HERE}}


def _with_settings(town, text, *args, image_has=True):
    """A service that reads its addresses, from a file that is mounted where there is a text."""
    built = json.dumps(HERE)
    params = {**town.world.blueprint.images["geo:latest"].binaries["geo"].params, **READING}
    params["flags"] = {"-consuladdr": "consul:8500"}
    image = Image(
        binaries={"geo": Binary(program="go_service", params=params)}, files={FILE: built} if image_has else {}
    )
    town.world.blueprint = replace(town.world.blueprint, images={**town.world.blueprint.images, "read:1": image})
    volumes, mounts = [], []
    if text is not None:
        town.put("configmaps", "given", data={"config.json": text})
        volumes = [{"name": "given", "configMap": {"name": "given"}}]
        mounts = [{"name": "given", "mountPath": FILE, "subPath": "config.json"}]
    return town.pod("geo-0", "read:1", volumes, command=["geo", *args], volumeMounts=mounts)


def test_a_mounted_file_of_settings_takes_the_place_of_the_one_in_the_image(town):
    town.pod("db-1", "mongo:4.4.6")
    town.service("other", 27017, {"db-1": 27017})
    town.run(5)
    key = _with_settings(town, json.dumps({**HERE, "DbAddress": "other:27017", "consulAddress": "nowhere:8500"}))
    town.run(3)
    assert town.row(key)["params"]["startup"][1]["mongo"]["address"] == "other:27017"
    assert "server returned error on SASL" in town.log(key), "it has asked the other database, which has no users"


def test_the_same_settings_change_nothing_and_an_argument_comes_last(town):
    key = _with_settings(town, json.dumps({**HERE, "consulAddress": "nowhere:8500"}), "-consuladdr=consul:8500")
    town.run(3)
    assert "Successfully registered in consul" in town.log(key)
    assert town.exits == []


@pytest.mark.parametrize("text", [None, "no json", "[]", "{}"])
def test_settings_that_cannot_be_read_are_no_settings(town, text):
    key = _with_settings(town, text, image_has=False)
    town.run(12)
    assert town.exits == [("main", 2)], "there is no database without an address"
    complaint = "ERR cmd/geo/main.go:34 > Got error while reading config: open config.json: no such file or directory"
    assert (complaint in town.log(key)) == (text is None)
    assert "panic: no reachable servers" in town.log(key)
