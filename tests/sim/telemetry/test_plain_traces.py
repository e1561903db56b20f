"""Spans of services whose tracing library adds no tags, below those of nginx."""

import pytest
from thrift_town import JAEGER_JSON, START, Town

from aiops_gym.sim.telemetry import traces


@pytest.fixture
def town():
    return Town()


def newest(town, service="town-door"):
    return traces.find_traces(town.world, service, START, town.world.now, 1)[0]


def test_a_request_is_seen_twice_by_nginx_and_then_by_each_service(town):
    rows = newest(town)
    assert [(span.service, span.operation) for span in rows[:4]] == [
        ("town-door", "/take"),
        ("town-door", "/take"),
        ("town-door", "take_client"),
        ("posts", "take_server"),
    ]
    assert rows[0].span == rows[0].trace and rows[0].parent == ""
    assert [span.parent for span in rows[1:4]] == [span.span for span in rows[:3]]
    parents = {span.operation: next(p.operation for p in rows if p.span == span.parent) for span in rows[1:]}
    assert parents["find_server"] == "find_client" and parents["get_client"] == "find_server"
    assert parents["insert_client"] == "take_server"
    assert all(span.tags == () and not span.error for span in rows[2:])
    assert dict(rows[0].tags)["http.status_code"] == "200"


def test_a_failure_is_marked_where_http_is_spoken_and_nowhere_else(town):
    town.endpoints("names", 9999)
    town.run(3)
    rows = newest(town)
    assert [span.error for span in rows] == [True, True] + [False] * (len(rows) - 2)
    assert dict(rows[1].tags)["http.status_code"] == "500"
    assert not any(span.service == "names" for span in rows)


def test_what_is_kept_is_decided_by_the_file_of_the_entry():
    town = Town()
    town.config(
        "door",
        **{
            "nginx.conf": town.world.store.get("configmaps", "town", "door")["data"]["nginx.conf"],
            "jaeger-config.json": JAEGER_JSON.replace('"param": 1', '"param": 0'),
        },
    )
    town.stop("door")
    town.start("door")
    town.run(2)
    begun = town.world.now
    town.run(20)
    assert traces.find_traces(town.world, "posts", begun, town.world.now, 5) == ([], 0)
