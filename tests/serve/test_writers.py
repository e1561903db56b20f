"""Many clients at once: nobody's write is lost, and whoever came too late is told so."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from knocking import NAMESPACE

from aiops_gym.serve import Door

PATH = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/frontend"
CLIENTS, ROUNDS = 16, 12


@pytest.mark.full
def test_sixteen_clients_count_together_and_lose_nothing(opened: Door) -> None:
    conflicts = []

    def count(_: int) -> None:
        with httpx.Client(base_url=opened.url, timeout=600) as client:
            for _ in range(ROUNDS):
                while not increment(client, conflicts):
                    pass

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(count, range(CLIENTS)))
    found = httpx.get(opened.url + PATH).json()["metadata"]["annotations"]["counter"]
    assert found == str(CLIENTS * ROUNDS)
    assert conflicts
    assert set(conflicts) == {
        'Operation cannot be fulfilled on deployments.apps "frontend": the object has been modified; '
        "please apply your changes to the latest version and try again"
    }


def increment(client: httpx.Client, conflicts: list[str]) -> bool:
    """Read, add one, write back; False if somebody else was faster."""
    found = client.get(PATH).json()
    notes = found["metadata"].setdefault("annotations", {})
    notes["counter"] = str(int(notes.get("counter", "0")) + 1)
    answer = client.put(PATH, json=found)
    if answer.status_code == 409:
        status = answer.json()
        assert (status["reason"], status["code"]) == ("Conflict", 409)
        assert status["details"] == {"name": "frontend", "group": "apps", "kind": "deployments"}
        conflicts.append(status["message"])
    return answer.status_code == 200


def test_a_patch_that_names_an_old_version_is_a_conflict(opened: Door) -> None:
    version = httpx.get(opened.url + PATH).json()["metadata"]["resourceVersion"]
    body = {"metadata": {"resourceVersion": version, "labels": {"a": "b"}}}
    kind = {"content-type": "application/merge-patch+json"}
    first = httpx.patch(opened.url + PATH, content=json.dumps(body), headers=kind)
    body["metadata"]["labels"] = {"a": "c"}
    second = httpx.patch(opened.url + PATH, content=json.dumps(body), headers=kind)
    assert (first.status_code, second.status_code) == (200, 409)


def test_a_name_is_given_once(opened: Door) -> None:
    barrier = threading.Barrier(8)

    def create(_: int) -> int:
        barrier.wait()
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "only"}}
        return httpx.post(f"{opened.url}/api/v1/namespaces/default/configmaps", json=body).status_code

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(create, range(8))) == [201] + [409] * 7


def test_watchers_see_every_change_once_and_in_order(opened: Door) -> None:
    where = f"{opened.url}/api/v1/namespaces/default/configmaps"
    version = httpx.get(where).json()["metadata"]["resourceVersion"]
    seen: list[list[str]] = []

    def look(_: int) -> None:
        query = {"watch": "true", "resourceVersion": version, "timeoutSeconds": "600"}
        with httpx.stream("GET", where, params=query) as answer:
            names = []
            for line in answer.iter_lines():
                names.append(json.loads(line)["object"]["metadata"]["name"])
                if len(names) == 20:
                    seen.append(names)
                    return

    def make(number: int) -> None:
        httpx.post(where, json={"metadata": {"name": f"c-{number}"}})

    with ThreadPoolExecutor(10) as pool:
        watching = [pool.submit(look, each) for each in range(6)]
        list(pool.map(make, range(20)))
        for each in watching:
            each.result(timeout=600)
    assert len(seen) == 6
    assert all(names == seen[0] for names in seen)
    assert sorted(seen[0]) == sorted(f"c-{number}" for number in range(20))
