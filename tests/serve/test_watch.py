"""Watches on the wire: replay, selectors, bookmarks, ends."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from aiops_gym.serve import Door, door
from aiops_gym.serve.following import Following
from aiops_gym.serve.keeper import Bell, Keeper
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import handle
from aiops_gym.types import Request

MAPS = "/api/v1/namespaces/default/configmaps"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def make(place: Door, name: str, **labels: str) -> str:
    """Create an object; its resourceVersion."""
    answer = httpx.post(place.url + MAPS, json={"metadata": {"name": name, "labels": labels}})
    assert answer.status_code == 201
    return str(answer.json()["metadata"]["resourceVersion"])


def watched(place: Door, path: str = MAPS, accept: str = "application/json", **query: str) -> list[dict[str, Any]]:
    """All events until the watch's time is up."""
    query = {"watch": "true", "timeoutSeconds": "1", **query}
    answer = httpx.get(place.url + path, params=query, headers={"accept": accept}, timeout=600)
    assert answer.status_code == 200
    assert answer.headers["transfer-encoding"] == "chunked"
    return [json.loads(line) for line in answer.text.splitlines()]


def test_a_watch_replays_what_came_after_a_version(opened: Door) -> None:
    version = make(opened, "a")
    make(opened, "b")
    events = watched(opened, resourceVersion=version)
    assert [(e["type"], e["object"]["metadata"]["name"]) for e in events] == [("ADDED", "b")]
    assert events[0]["object"]["kind"] == "ConfigMap"


def test_a_watch_without_a_version_begins_with_all_there_is(opened: Door) -> None:
    make(opened, "a")
    names = [(e["type"], e["object"]["metadata"]["name"]) for e in watched(opened)]
    assert names == [("ADDED", "a"), ("ADDED", "kube-root-ca.crt")]


def test_an_object_that_no_longer_matches_is_deleted_for_the_watcher(opened: Door) -> None:
    version = make(opened, "a", colour="red")
    where, kind = f"{opened.url}{MAPS}/a", {"content-type": "application/merge-patch+json"}
    httpx.patch(where, content=b'{"metadata": {"labels": {"colour": "blue"}}}', headers=kind)
    httpx.patch(where, content=b'{"metadata": {"labels": {"colour": "red"}}}', headers=kind)
    last = httpx.delete(where)
    assert last.json()["status"] == "Success"
    events = watched(opened, resourceVersion=version, labelSelector="colour=red")
    assert [e["type"] for e in events] == ["DELETED", "ADDED", "DELETED"]
    versions = [int(e["object"]["metadata"]["resourceVersion"]) for e in events]
    assert versions == sorted(set(versions))


def test_a_version_that_is_forgotten_is_gone(opened: Door) -> None:
    version = make(opened, "a")
    opened.call(lambda world: world.store.history.clear())
    make(opened, "b")
    (event,) = watched(opened, resourceVersion="1")
    assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")
    assert event["object"]["message"].startswith("too old resource version: 1 (")
    assert watched(opened, resourceVersion=version)[0]["object"]["metadata"]["name"] == "b"


def test_bookmarks_tell_how_far_one_has_come(opened: Door) -> None:
    version = make(opened, "a")
    events = watched(opened, resourceVersion=version, allowWatchBookmarks="true")
    assert [e["type"] for e in events] == ["BOOKMARK"]
    assert int(events[0]["object"]["metadata"]["resourceVersion"]) >= int(version)
    events = watched(opened, allowWatchBookmarks="true", sendInitialEvents="true", resourceVersionMatch="NotOlderThan")
    assert [e["type"] for e in events] == ["ADDED", "ADDED", "BOOKMARK", "BOOKMARK"]
    assert events[2]["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_rows_come_one_by_one_and_name_their_columns_once(opened: Door) -> None:
    make(opened, "a")
    first, second = watched(opened, accept=TABLE)
    assert first["object"]["kind"] == "Table"
    assert [c["name"] for c in first["object"]["columnDefinitions"]] == ["Name", "Data", "Age"]
    assert second["object"]["columnDefinitions"] is None
    assert first["object"]["rows"][0]["object"]["kind"] == "PartialObjectMetadata"


def test_one_object_can_be_watched_in_either_way(opened: Door) -> None:
    make(opened, "a")
    for path in (f"{MAPS}/a", "/api/v1/watch/namespaces/default/configmaps/a"):
        assert [e["object"]["metadata"]["name"] for e in watched(opened, path)] == ["a"]


def test_the_headers_come_at_once_and_changes_as_they_happen(opened: Door) -> None:
    version = make(opened, "a")
    url = f"{opened.url}{MAPS}?watch=true&resourceVersion={version}"
    with httpx.stream("GET", url, timeout=600) as answer:
        assert answer.status_code == 200
        lines = answer.iter_lines()
        make(opened, "b")
        assert json.loads(next(lines))["object"]["metadata"]["name"] == "b"


def test_another_world_ends_the_watches_of_the_one_before(opened: Door, world: World) -> None:
    with httpx.stream("GET", f"{opened.url}{MAPS}?watch=true", timeout=600) as answer:
        lines = answer.iter_lines()
        next(lines)
        opened.put(world.fork())
        assert json.loads(next(lines))["object"]["code"] == 410


def test_closing_the_door_ends_all_watches(world: World) -> None:
    with door(world) as place:
        client = httpx.Client()
        with client.stream("GET", f"{place.url}{MAPS}?watch=true", timeout=600) as answer:
            lines = answer.iter_lines()
            next(lines)
            place.close()
            assert list(lines) == []
        client.close()


@pytest.mark.parametrize("turns", range(3))
def test_who_leaves_in_the_moment_of_a_ring_has_left(turns: int) -> None:
    """Python 3.11's `wait_for` forgets such a cancellation; the watch would go on until its time is up."""

    async def leave_at_a_ring() -> bool:
        bell = Bell()
        waiting = asyncio.create_task(bell.wait(600))
        await asyncio.sleep(0)
        bell.ring()
        for _ in range(turns):
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        return waiting.cancelled()

    left = asyncio.run(leave_at_a_ring())
    assert left or turns == 2, "the ring was heard, and the cancellation was lost"


def test_a_followed_log_has_what_was_written_before_the_first_piece_was_read(world: World) -> None:
    """The world moves on between the request and the connection's first turn."""
    script = "for i in 1 2 3; do echo line $i; sleep 2; done"
    spec = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "busybox:1.36"}]}
    spec["containers"][0]["command"] = ["sh", "-c", script]  # type: ignore[index]
    made = handle(world, Request("create", "pods", "default", body={"metadata": {"name": "tmp"}, "spec": spec}))
    assert made.code == 201
    request = Request("get", "pods", "default", "tmp", "log")
    while "line 1" not in str(handle(world, request).body):
        world.run(200)

    async def follow() -> str:
        keeper = Keeper(world)
        following = await keeper.ask(lambda w: Following(keeper, w, request, str(handle(w, request).body)))
        await keeper.ask(lambda w: w.run(20_000))
        pieces = [piece async for piece in following.pieces()]
        keeper.close()
        return b"".join(pieces).decode()

    assert asyncio.run(follow()) == "line 1\nline 2\nline 3\n"
