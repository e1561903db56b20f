"""The life of containers: whatever is done to them in whatever order, all that is told of them agrees."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.sim.docker_host import api, lifecycle, projects, records
from aiops_gym.sim.kernel.blueprint import Binary, Blueprint, Image
from aiops_gym.sim.kernel.world import Dynamics, World
from aiops_gym.sim.kube_control import kubelet_server
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.scripts import inside
from aiops_gym.sim.network import routes
from aiops_gym.sim.software import programs
from aiops_gym.types import Response

START = 1_772_442_000_000
WEB = Binary(program="idle", params={"ports": [80], "log": ["ready"]})
DEAF = Binary(program="idle", params={"deaf": True})
IMAGES = {
    "web:1": Image(entrypoint=("web",), binaries={"web": WEB}),
    "deaf:1": Image(entrypoint=("deaf",), binaries={"deaf": DEAF}),
    "job:1": Image(entrypoint=("sh", "-c"), cmd=("sleep 2; exit 3",)),
}
SERVICES = [
    {"name": "web", "image": "web:1", "args": [], "ports": {"80": "8080"}},
    {"name": "deaf", "image": "deaf:1", "args": [], "restart": "always"},
    {"name": "job", "image": "job:1", "args": [], "restart": "on-failure"},
]
PROJECT = {"name": "toy", "folder": "/toy", "subnet": "172.20.0.0", "services": SERVICES}
NAMES = [service["name"] for service in SERVICES]


def make_world():
    blueprint = Blueprint(app="toy", namespace="toy", variant=0, start=START, images=IMAGES)
    handlers = {**runtime.HANDLERS, **lifecycle.HANDLERS, **projects.HANDLERS}
    dynamics = Dynamics((), handlers, programs=programs.find, kubelet=kubelet_server.Server())
    world = World(blueprint, dynamics, 7)
    projects.install(world, PROJECT)
    world.run(500)
    return world


BASE = make_world()


def ask(world, method, path, **query):
    return api.handle(world, method, path, query)


def told(world, name):
    return ask(world, "GET", f"/containers/{name}/inspect").body


def check(world):
    """What lists, inspects, events, processes and names say is the same."""
    rows = {row["Names"][0][1:]: row for row in ask(world, "GET", "/containers/json", all="1").body}
    running = {name for name, row in rows.items() if row["State"] == "running"}
    events = records.list_events(world)
    assert [event["number"] for event in events] == list(range(events[0]["number"], events[0]["number"] + len(events)))
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)
    for name in NAMES:
        mine = [event["action"] for event in events if event["attributes"].get("name") == name]
        assert (mine.count("start") - mine.count("die") == 1) == (name in running)
        assert mine.count("create") - mine.count("destroy") == (name in rows)
        assert mine.count("stop") <= mine.count("die")
    for name, row in rows.items():
        found = told(world, name)
        process = world.table("processes")[f"{found['Id']}/{name}"]
        assert row["State"] == found["State"]["Status"]
        assert row["State"] in (("running",) if process["running"] else ("exited", "restarting"))
        assert found["State"]["Running"] == (row["State"] != "exited")
        word = {"exited": "Exited", "restarting": "Restarting"}.get(row["State"], "")
        assert row["Status"].startswith(f"{word} ({found['State']['ExitCode']}) " if word else "Up ")
        assert process["running"] or process["exit"]["code"] == found["State"]["ExitCode"]
    addresses = {name: told(world, name)["NetworkSettings"]["Networks"]["toy_default"]["IPAddress"] for name in running}
    assert len({*addresses.values()}) == len(running)
    for name in running:
        for other in NAMES:
            heard = routes.resolve(world, f"{told(world, name)['Id']}/{name}", "", other)
            assert heard == ([addresses[other]] if other in running else [])


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["start", "stop", "restart", "kill", "rm", "rm -f", "up"]),
        st.sampled_from(NAMES),
        st.integers(0, 15_000),
    ),
    max_size=12,
)


def act(world, verb, name):
    if verb == "up":
        projects.bring_up(world, PROJECT)
        return Response(200, None)
    if verb.startswith("rm"):
        return ask(world, "DELETE", f"/containers/{name}", force="1" if verb == "rm -f" else "0")
    query = {"signal": "KILL"} if verb == "kill" else {}
    return ask(world, "POST", f"/containers/{name}/{verb}", **query)


@settings(max_examples=60, deadline=None)
@given(ACTS)
def test_whatever_is_done_all_that_is_told_agrees(acts):
    world = BASE.fork()
    for verb, name, wait in acts:
        known = {row["Names"][0][1:] for row in ask(world, "GET", "/containers/json", all="1").body}
        answer = act(world, verb, name)
        assert answer.code == 200 or name not in known or verb in ("kill", "rm")
        world.run(wait)
        check(world)


@settings(max_examples=30, deadline=None)
@given(ACTS)
def test_a_world_goes_on_from_bytes_as_it_would_have(acts):
    world = BASE.fork()
    for verb, name, wait in acts:
        act(world, verb, name)
        world.run(wait)
    twin, again = world.fork(), BASE.fork()
    again.become(json.loads(json.dumps(world.difference(BASE))))
    for each in (world, twin, again):
        each.run(20_000)
        act(each, "up", "")
        each.run(1_000)
    logs = [ask(each, "GET", "/containers/web/logs").body for each in (world, twin, again)]
    assert logs[0] == logs[1] == logs[2]
    texts = [json.dumps(each.difference(BASE), sort_keys=True) for each in (world, twin, again)]
    assert texts[0] == texts[1] == texts[2]


def test_a_policy_brings_back_what_ended_by_itself_and_waits_longer_each_time():
    world = BASE.fork()
    world.run(30_000)
    starts = [
        e["time"] for e in records.list_events(world) if e["action"] == "start" and e["attributes"]["name"] == "job"
    ]
    pauses = [later - earlier - 2_000 for earlier, later in pairwise(starts)]
    assert len(pauses) > 4
    assert all(later > earlier for earlier, later in zip(pauses, pauses[2:], strict=False))
    assert told(world, "job")["RestartCount"] == len(pauses) + (told(world, "job")["State"]["Restarting"])
    act(world, "stop", "job")
    act(world, "kill", "deaf")
    world.run(60_000)
    assert told(world, "job")["State"]["Status"] == told(world, "deaf")["State"]["Status"] == "exited"


def test_what_does_not_listen_to_its_signal_is_killed_when_its_time_is_up():
    world = BASE.fork()
    ask(world, "POST", "/containers/deaf/stop", t="4")
    world.run(3_900)
    assert told(world, "deaf")["State"]["Running"]
    world.run(200)
    assert told(world, "deaf")["State"]["ExitCode"] == 137
    signals = [e["attributes"]["signal"] for e in records.list_events(world) if e["action"] == "kill"]
    assert signals == ["15", "9"]


def test_files_and_logs_outlast_a_process_and_go_with_the_container():
    world = BASE.fork()
    key = f"{told(world, 'web')['Id']}/web"
    inside.execute_beside(world, key, ["sh", "-c", "echo kept > /tmp/x"])
    act(world, "restart", "web")
    world.run(2_000)
    assert inside.execute_beside(world, key, ["cat", "/tmp/x"]).stdout == "kept\n"
    assert [text for _, text in ask(world, "GET", "/containers/web/logs").body] == ["ready", "ready"]
    act(world, "rm -f", "web")
    act(world, "up", "")
    key = f"{told(world, 'web')['Id']}/web"
    assert inside.execute_beside(world, key, ["cat", "/tmp/x"]).code == 1
    assert [text for _, text in ask(world, "GET", "/containers/web/logs").body] == ["ready"]


def test_neighbours_reach_each_other_by_name_and_nothing_of_the_cluster():
    world = BASE.fork()
    key = f"{told(world, 'deaf')['Id']}/deaf"
    assert routes.dial(world, key, "", "web", 80).outcome == "ok"
    assert routes.dial(world, key, "", "web", 81).outcome == "refused"
    assert routes.dial(world, key, "", "kubernetes.default", 443).outcome == "no_host"
    act(world, "kill", "web")
    world.run(0)
    assert routes.dial(world, key, "", "web", 80).outcome == "no_host"


@pytest.mark.parametrize("path", ["/nothing", "/containers/web/nothing", "/containers/web", "/"])
def test_other_questions_are_answered_by_what_a_daemon_says_of_them(path):
    assert ask(BASE, "GET", path) == (404, {"message": "page not found"})
