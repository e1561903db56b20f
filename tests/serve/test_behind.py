"""Prometheus and Jaeger from outside: the clients of real ones take their addresses as they are."""

from __future__ import annotations

import json
import shutil
import subprocess

import httpx
import pytest
from knocking import NAMESPACE, Kubectl

from aiops_gym.serve import Door, door
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import handle
from aiops_gym.sim.telemetry import traces
from aiops_gym.types import Request

THREADS = f'container_threads{{namespace="{NAMESPACE}",pod=~"frontend.*"}}'
PROXY = "/api/v1/namespaces/{}/services/{}/proxy"
PROMETHEUS, JAEGER = PROXY.format("observe", "prometheus-server:80"), PROXY.format(NAMESPACE, "http:jaeger:16686")


def get(opened: Door, path: str, **query: object) -> httpx.Response:
    return httpx.get(opened.url + path, params=query or None, timeout=60)  # type: ignore[arg-type]


def test_a_query_may_come_in_the_address_or_as_a_form(still: Door) -> None:
    path = "/prometheus/api/v1/query"
    asked = get(still, path, query=THREADS)
    assert (asked.status_code, asked.headers["content-type"]) == (200, "application/json")
    assert len(asked.json()["data"]["result"]) == 1
    posted = httpx.post(still.url + path, data={"query": THREADS})
    assert posted.json() == asked.json() == get(still, f"{PROMETHEUS}/api/v1/query", query=THREADS).json()
    wrong = get(still, path, query="{")
    assert wrong.status_code == 400 and wrong.json()["errorType"] == "bad_data"


def test_jaeger_has_the_traces_of_the_world(still: Door) -> None:
    services = get(still, "/jaeger/api/services").json()["data"]
    assert services == still.call(traces.list_services) != []
    found = get(still, "/jaeger/api/traces", service="frontend", limit=3).json()["data"]
    rows, _ = still.call(lambda world: traces.find_traces(world, "frontend", 0, world.now, 3))
    assert [span["spanID"] for trace in found for span in trace["spans"]] == [span.span for span in rows]
    assert get(still, f"{JAEGER}/api/traces/{found[0]['traceID']}").json()["data"] == found[:1]
    assert get(still, "/jaeger/").text == get(still, "/jaeger").text == get(still, f"{JAEGER}/search").text
    assert httpx.post(still.url + "/jaeger/api/services").status_code == 405


def test_alertmanager_has_what_fires(still: Door) -> None:
    found = get(still, "/alertmanager/api/v2/alerts").json()
    told = get(still, "/prometheus/api/v1/alerts").json()["data"]["alerts"]
    assert sorted(each["labels"]["alertname"] for each in found) == sorted(
        each["labels"]["alertname"] for each in told if each["state"] == "firing"
    )
    assert get(still, "/alertmanager/api/v2/status").json()["versionInfo"]["version"] == "0.26.0"


def test_a_name_in_a_path_may_hold_a_slash(still: Door) -> None:
    wrong = get(still, "/jaeger/api/services/a%2Fb/operations")
    assert wrong.json()["data"] is None and get(still, "/jaeger/api/services/a/b/operations").text.startswith(
        "<!doctype"
    )


@pytest.mark.parametrize(
    ("path", "code", "why"),
    [
        (PROXY.format("observe", "prometheus-server"), 503, 'no endpoints available for service "prometheus-server"'),
        (
            PROXY.format("observe", "prometheus-server:81"),
            503,
            'no service port 81 found for service "prometheus-server"',
        ),
        (PROXY.format("observe", "nope:80"), 404, 'services "nope" not found'),
        (PROXY.format("observe", "a:b:c"), 400, 'invalid service request "a:b:c"'),
        (f"/api/v1/namespaces/{NAMESPACE}/pods/nope:80/proxy", 404, 'pods "nope" not found'),
        (PROXY.format("observe", "https:prometheus-server:80"), 503, "server gave HTTP response to HTTPS client"),
    ],
)
def test_the_api_server_says_why_it_reaches_nobody(still: Door, path: str, code: int, why: str) -> None:
    answer = get(still, f"{path}/-/ready")
    assert answer.status_code == code and answer.json()["kind"] == "Status"
    assert why in answer.json()["message"]


def test_a_pod_is_reached_at_its_port_and_refuses_at_another(still: Door) -> None:
    pods = get(still, "/api/v1/namespaces/observe/pods", labelSelector="app.kubernetes.io/name=prometheus").json()
    place = f"/api/v1/namespaces/observe/pods/{pods['items'][0]['metadata']['name']}"
    assert get(still, f"{place}:9090/proxy/-/ready").text == "Prometheus Server is Ready.\n"
    assert "connect: connection refused" in get(still, f"{place}:9091/proxy/-/ready").json()["message"]


def test_who_has_no_pod_does_not_answer(world: World) -> None:
    for namespace, name in (("observe", "prometheus-server"), (NAMESPACE, "jaeger")):
        body = {"spec": {"replicas": 0}}
        kind = "application/merge-patch+json"
        handle(world, Request("patch", "deployments.apps", namespace, name, "scale", body, kind))
    world.run(60_000)
    with door(world) as opened:
        for path in ("/prometheus/api/v1/query?query=up", "/jaeger/api/services"):
            answer = httpx.get(opened.url + path)
            assert (answer.status_code, answer.text[:30]) == (503, "no endpoints available for ser")


def test_a_page_of_somebody_else_is_kept_out(still: Door) -> None:
    for headers in ({"host": "evil.example"}, {"origin": "http://localhost:1"}):
        assert httpx.get(f"{still.url}/jaeger/api/services", headers=headers).status_code == 403


def test_kubectl_asks_through_its_api_server(still: Door, kubectl: Kubectl) -> None:
    ran = kubectl(still, "get", "--raw", f"{JAEGER}/api/services")
    assert json.loads(ran.out)["data"] == still.call(traces.list_services)
    ran = kubectl(still, "get", "--raw", f"{PROMETHEUS}/api/v1/query?query=%7B")
    assert (ran.code, ran.err) == (
        1,
        "Error from server (BadRequest): the server rejected our request for an unknown reason\n",
    )


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool here")
def test_promtool_takes_the_address(still: Door) -> None:
    program = str(shutil.which("promtool"))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program, "query", *words], capture_output=True, text=True, timeout=60, check=False)

    server = f"{still.url}/prometheus"
    now = still.call(lambda world: world.now // 1000)
    ran = run("instant", f"--time={now}", server, THREADS)
    assert ran.returncode == 0 and ran.stdout.count(" => ") == 1 and 'pod="frontend-' in ran.stdout
    ran = run("range", f"--start={now - 300}", f"--end={now}", "--step=60s", server, THREADS)
    assert ran.returncode == 0 and ran.stdout.count("@[") == 6
    ran = run("labels", server, "namespace")
    assert ran.returncode == 0 and NAMESPACE in ran.stdout.splitlines()
    ran = run("instant", f"--time={now}", server, "{")
    assert ran.returncode != 0 and "bad_data" in ran.stderr
