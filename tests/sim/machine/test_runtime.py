"""From a container's spec to a process, and from a process to an exit."""

from __future__ import annotations

import json

import pytest

from aiops_gym.sim.kernel.blueprint import Binary, Image
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.container import Container


def _start(tiny, **container):
    pod = tiny.put("pods", "x", spec={"containers": []}, status={"podIP": "10.244.1.9"})
    return runtime.start(tiny.world, pod, {"name": "main", **container}, 0)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("user", 'exec: "user": executable file not found in $PATH: unknown'),
        ("/nope", 'exec: "/nope": stat /nope: no such file or directory: unknown'),
    ],
)
def test_a_command_that_the_image_lacks_cannot_start(tiny, command, why):
    outcome = _start(tiny, image="pause", command=[command])
    assert (outcome.reason, outcome.code) == ("StartError", 128)
    assert outcome.message == runtime.RUNC + why
    assert not tiny.world.table("processes")


def test_an_image_without_any_command_cannot_be_created(tiny):
    assert _start(tiny, image="geo:latest").reason == "CreateContainerError"


def test_a_missing_tag_means_latest(tiny):
    assert _start(tiny, image="memcached") == ""


@pytest.mark.parametrize(
    ("container", "argv"),
    [
        ({}, ["mongod"]),
        ({"args": ["--auth"]}, ["mongod", "--auth"]),
        ({"args": ["mongod", "--auth"]}, ["mongod", "--auth"]),
        ({"command": ["sleep"], "args": ["5"]}, ["sleep", "5"]),
    ],
)
def test_the_wrapper_of_official_images_becomes_the_program_it_names(container, argv):
    image = Image(entrypoint=("docker-entrypoint.sh",), cmd=("mongod",), binaries={"mongod": Binary(program="mongod")})
    assert runtime.resolve(image, container, {}).argv == argv


def test_a_wrapper_that_takes_subcommands_keeps_them():
    image = Image(entrypoint=("docker-entrypoint.sh",), cmd=("agent",), binaries={"consul": Binary(program="consul")})
    assert runtime.resolve(image, {"args": ["agent", "-dev"]}, {}).argv == ["consul", "agent", "-dev"]


def test_the_environment_comes_from_image_services_config_and_spec(tiny):
    tiny.put("configmaps", "settings", data={"LEVEL": "info"})
    tiny.put("secrets", "keys", data={"key": "czNjcmV0"})
    tiny.put("services", "user-db", spec={"clusterIP": "10.96.0.7", "ports": [{"name": "m", "port": 27017}]})
    env = [
        {"name": "URL", "value": "$(USER_DB_SERVICE_HOST):$(USER_DB_SERVICE_PORT)/$(MISSING)"},
        {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "key"}}},
        {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ]
    assert _start(tiny, image="busybox", env=env, envFrom=[{"configMapRef": {"name": "settings"}}]) == ""
    found = tiny.row("uid-x/main")["env"]
    assert found["URL"] == "10.96.0.7:27017/$(MISSING)"
    assert (found["KEY"], found["POD"], found["LEVEL"]) == ("s3cret", "x", "info")
    assert found["USER_DB_PORT_27017_TCP_ADDR"] == "10.96.0.7"


def test_a_kill_ends_a_process_at_once_and_tells_the_kubelet(tiny):
    key = tiny.pod("cache", "memcached")
    runtime.signal(tiny.world, key, "KILL")
    row = tiny.row(key)
    assert (row["running"], row["ports"], row["exit"]["code"]) == (False, [], 137)
    tiny.run(1)
    assert tiny.exits == [("main", 137)]


def test_a_term_ends_a_daemon_soon(tiny):
    key = tiny.pod("cache", "memcached")
    runtime.signal(tiny.world, key, "TERM")
    assert tiny.row(key)["running"]
    tiny.run(1)
    assert tiny.exits == [("main", 0)]


def test_the_record_before_is_kept_when_a_container_starts_again(tiny):
    key = tiny.pod("cache", "memcached")
    first = tiny.row(key)["id"]
    runtime.signal(tiny.world, key, "KILL")
    tiny.restart("cache")
    assert tiny.world.table("previous")[key]["id"] == first
    assert tiny.row(key)["id"] != first
    assert list(tiny.world.table("ended")) == [first]


def test_what_was_planned_by_a_dead_process_does_not_reach_the_next(tiny):
    key = tiny.pod("sleeper", "busybox", command=["sh", "-c", "sleep 5; echo done; sleep 9"])
    tiny.run(1)
    runtime.signal(tiny.world, key, "KILL")
    tiny.restart("sleeper")
    tiny.run(4.5)
    assert tiny.log(key) == ""
    tiny.run(1)
    assert tiny.log(key) == "done"


def test_nothing_is_kept_of_a_pod_that_is_gone(tiny):
    mounts = [{"name": "tmp", "mountPath": "/tmp"}]
    key = tiny.pod("cache", "memcached", [{"name": "tmp", "emptyDir": {}}], volumeMounts=mounts)
    Container(tiny.world, key).disk("/tmp").put("a", 1)
    Container(tiny.world, key).disk("/var").put("b", 1)
    assert len(tiny.world.table("volumes")) == 2
    runtime.forget(tiny.world, "uid-cache")
    assert not any(tiny.world.table(name) for name in ("processes", "past", "volumes"))
    tiny.run(1)
    assert tiny.exits == []


def test_a_mounted_configmap_is_read_through_the_pod(tiny):
    tiny.put("configmaps", "settings", data={"a.conf": "x=1\n", "b.conf": "y\n"})
    volume = {"name": "v", "configMap": {"name": "settings", "items": [{"key": "a.conf", "path": "main.conf"}]}}
    key = tiny.pod("cache", "memcached", [volume], volumeMounts=[{"name": "v", "mountPath": "/etc/app/"}])
    files = Container(tiny.world, key).files()
    assert files["/etc/app/main.conf"] == "x=1\n"
    assert "/etc/app/b.conf" not in files
    assert files["/etc/hostname"] == "cache\n"


def test_all_state_is_plain_data(tiny):
    tiny.database("--auth")
    tiny.registry()
    tiny.pod("geo-0", "geo:latest", command=["geo"])
    tiny.run(20)
    text = json.dumps({k: v for k, v in tiny.world.tables.items() if not k.startswith("objects/")})
    assert json.loads(text)["volumes"] == tiny.world.table("volumes")
    assert json.dumps(tiny.world.heap)


def test_the_same_seed_gives_the_same_processes_and_a_fork_leaves_its_origin_alone(tiny):
    twin = type(tiny)()
    for cluster in (tiny, twin):
        cluster.database("--auth")
        cluster.registry()
        cluster.pod("geo-0", "geo:latest", command=["geo"])
        cluster.run(3)
    fork = tiny.world.fork()
    fork.run(17_000)
    twin.run(17)
    assert fork.table("processes") == twin.world.table("processes")
    assert fork.table("processes") != tiny.world.table("processes")
