"""Alertmanager's silences: over HTTP as clients make them, kept in the world, and honoured where alerts are read."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_world import block

from aiops_gym.backends import Simulated
from aiops_gym.backends.servers import ask_server
from aiops_gym.catalog import registry
from aiops_gym.sim.kernel.times import HOUR, MINUTE

PATH = "/api/v2/silences"


@pytest.fixture(scope="module")
def base():
    return Simulated(registry.find_problem("noop_detection_hotel_reservation-1"), 3, noise=False)


@pytest.fixture
def world(base):
    return base.fork().world


def at(world, **later):
    return (datetime.fromtimestamp(world.now / 1000, UTC) + timedelta(**later)).isoformat(timespec="milliseconds")


def about(world, *matchers, hours=1, **rest):
    found = [{"name": n, "value": v, "isRegex": p, "isEqual": e} for n, v, p, e in matchers]
    times = {"startsAt": at(world, seconds=-5), "endsAt": at(world, hours=hours)}
    return {"matchers": found, **times, "createdBy": "mia", "comment": "known", **rest}


WATCHDOG = ("alertname", "Watchdog", False, True)


def ask(world, method, path, data=None):
    text = data if isinstance(data, str) else "" if data is None else json.dumps(data)
    answer = ask_server(world, "alertmanager", method, path, text)
    return answer.status, json.loads(answer.body) if answer.body else None


def watchdog(world, query=""):
    return [a for a in ask(world, "GET", f"/api/v2/alerts{query}")[1] if a["labels"]["alertname"] == "Watchdog"]


def test_a_silence_suppresses_what_it_means_until_it_ends(world):
    status, made = ask(world, "POST", PATH, about(world, WATCHDOG))
    assert status == 200
    assert watchdog(world)[0]["status"] == {"inhibitedBy": [], "silencedBy": [made["silenceID"]], "state": "suppressed"}
    assert watchdog(world, "?silenced=false") == []
    assert len(watchdog(world, "?active=false")) == 1
    groups = ask(world, "GET", "/api/v2/alerts/groups")[1]
    assert made["silenceID"] in json.dumps(groups)
    world.run(HOUR + MINUTE)
    assert watchdog(world)[0]["status"]["state"] == "active"
    assert ask(world, "GET", PATH)[1][0]["status"] == {"state": "expired"}


def test_it_is_shown_as_it_was_made(world):
    _, made = ask(world, "POST", PATH, about(world, WATCHDOG, ("severity", "n.*", True, True)))
    (shown,) = ask(world, "GET", PATH)[1]
    assert list(shown) == ["id", "status", "updatedAt", "comment", "createdBy", "endsAt", "matchers", "startsAt"]
    assert shown["matchers"][1] == {"isEqual": True, "isRegex": True, "name": "severity", "value": "n.*"}
    assert shown["startsAt"] == shown["updatedAt"]  # what begins in the past begins now
    assert ask(world, "GET", f"/api/v2/silence/{made['silenceID']}") == (200, shown)
    assert ask(world, "GET", f'{PATH}?filter=alertname="Watchdog"')[1] == [shown]
    assert ask(world, "GET", f"{PATH}?filter=alertname%3D~%22Watchdog%22")[1] == []


def test_ending_one_wakes_the_alert_up_and_is_done_once(world):
    _, made = ask(world, "POST", PATH, about(world, WATCHDOG))
    place = f"/api/v2/silence/{made['silenceID']}"
    assert ask(world, "DELETE", place) == (200, None)
    assert watchdog(world)[0]["status"]["state"] == "active"
    assert ask(world, "DELETE", place) == (500, f"silence {made['silenceID']} already expired")
    assert ask(world, "DELETE", f"/api/v2/silence/{made['silenceID'][:-1]}0")[0] in (404, 500)
    assert ask(world, "DELETE", "/api/v2/silence/x")[1]["message"] == 'silenceID in path must be of type uuid: "x"'
    assert ask(world, "DELETE", PATH)[0] == 405


def test_one_that_is_changed_stays_itself_or_gives_way(world):
    _, first = ask(world, "POST", PATH, about(world, WATCHDOG))
    (shown,) = ask(world, "GET", PATH)[1]
    longer = {**shown, "endsAt": at(world, hours=9)}
    assert ask(world, "POST", PATH, longer) == (200, first)
    _, second = ask(world, "POST", PATH, {**about(world, ("severity", "none", False, True)), "id": first["silenceID"]})
    assert second != first
    states = {each["id"]: each["status"]["state"] for each in ask(world, "GET", PATH)[1]}
    assert states == {first["silenceID"]: "expired", second["silenceID"]: "active"}
    unknown = {**longer, "id": "00000000-0000-4000-8000-000000000000"}
    assert ask(world, "POST", PATH, unknown) == (404, "silence not found")


def test_what_is_to_come_silences_nothing_yet(world):
    soon = {**about(world, WATCHDOG), "startsAt": at(world, minutes=10)}
    ask(world, "POST", PATH, soon)
    assert ask(world, "GET", PATH)[1][0]["status"]["state"] == "pending"
    assert watchdog(world)[0]["status"]["state"] == "active"
    world.run(11 * MINUTE)
    assert watchdog(world)[0]["status"]["state"] == "suppressed"


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"matchers": []}, 422, "matchers in body should have at least 1 items"),
        ({"comment": None}, 422, "comment in body is required"),
        ({"matchers": [{"name": "a", "value": "b"}]}, 422, "matchers.0.isRegex in body is required"),
        ({"endsAt": "2020-01-01T00:00:00Z"}, 400, "start time must be before end time"),
        ({"startsAt": "2020-01-01T00:00:00Z", "endsAt": "2020-01-02T00:00:00Z"}, 400, "can't be in the past"),
        ({"startsAt": "soon"}, 400, "parsing silence body"),
        ({"matchers": [{"name": "a", "value": "(", "isRegex": True}]}, 400, "invalid regular expression"),
        ({"matchers": [{"name": "9", "value": "b", "isRegex": False}]}, 400, 'invalid label name "9"'),
        ({"matchers": [{"name": "a", "value": ".*", "isRegex": True}]}, 400, "must not match the empty string"),
    ],
)
def test_what_is_no_silence_is_refused_with_the_reason(world, change, status, said):
    got, told = ask(world, "POST", PATH, {**about(world, WATCHDOG), **change})
    assert got == status
    assert said in json.dumps(told).replace('\\"', '"')
    assert ask(world, "GET", PATH) == (200, [])


@settings(max_examples=40)
@given(
    data=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["matchers", "startsAt", "endsAt", "id", "name", "value", "isRegex", "createdBy", "comment"]
                ),
                inner,
                max_size=6,
            )
        ),
    )
)
def test_any_body_is_answered(base, data):
    assert ask(base.fork().world, "POST", PATH, json.dumps(data))[0] in (200, 400, 404, 422)


def test_forks_have_their_own_and_the_same_moment_gives_the_same_id(base):
    one, other = base.fork(), base.fork()
    made = [ask(twin.world, "POST", PATH, about(twin.world, WATCHDOG)) for twin in (one, other, one)]
    assert made[0] == made[1] != made[2]
    assert ask(base.world, "GET", PATH) == (200, [])
    restored = Simulated.restored(one.snapshot())
    assert ask(restored.world, "GET", PATH) == ask(one.world, "GET", PATH)
    other.world.run(130 * HOUR // 26)
    assert len(ask(other.world, "GET", PATH)[1]) == 1


def test_an_agent_silences_an_alert_in_its_shell_and_sees_it():
    env = gym.make("aiops_gym/Detection-v0", problem="noop_detection_hotel_reservation-1", tools="all", noise=False)
    env.reset(seed=1)
    alerts = block("get_alerts()")
    assert re.search(r"^ *firing .* Watchdog ", env.step(alerts)[0], re.M)
    times = '"startsAt":"2020-01-01T00:00:00Z","endsAt":"2099-01-01T00:00:00Z"'
    matcher = '{"name":"alertname","value":"Watchdog","isRegex":false}'
    body = f'{{"matchers":[{matcher}],{times},"createdBy":"me","comment":"x"}}'
    post = f"curl -s -XPOST -H 'Content-Type: application/json' prometheus-alertmanager.observe:9093{PATH} -d '{body}'"
    said = env.step(block(f"exec_shell({f'kubectl exec -n test-hotel-reservation deploy/frontend -- {post}'!r})"))[0]
    assert '"silenceID":"' in said
    assert re.search(r"^ *silenced .* Watchdog ", env.step(alerts)[0], re.M)
