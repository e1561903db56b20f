"""The tools that ask Prometheus and Jaeger: tables within the limit, and errors in the servers' words."""

from __future__ import annotations

import json
from itertools import pairwise
from urllib.parse import urlencode

import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.errors import ToolError
from aiops_gym.sim.telemetry import searches
from aiops_gym.tools import Context, run, toolbox
from aiops_gym.tools.changes import _differ, list_changes
from aiops_gym.tools.live.get_changes import LONGEST
from aiops_gym.types import Call

NAMESPACE = "test-hotel-reservation"


@pytest.fixture(scope="module")
def backend():
    return Simulated(registry.find_problem("container_kill-detection"), 1)


@pytest.fixture
def call(backend):
    def ask(name, *args, shown=None, **kwargs):
        return run(Call(name, args, kwargs), toolbox("detection", "all"), Context(backend.fork(), limit=shown)).text

    return ask


def test_only_who_asks_for_all_tools_is_offered_them():
    assert {*toolbox("detection", "all")} - {*toolbox("detection")} == {
        "get_alerts",
        "get_changes",
        "query_metrics",
        "query_traces",
    }


def test_an_instant_query_is_a_table_of_series(call, backend):
    query = f'sum by (namespace, container, pod) (container_threads{{namespace="{NAMESPACE}",container!=""}})'
    head, titles, *rows = call("query_metrics", query).splitlines()
    assert f'namespace="{NAMESPACE}"' in head and titles.split() == ["container", "pod", "value"]
    _, body = backend.telemetry.ask("prometheus", f"/api/v1/query?{urlencode({'query': query})}")
    known = [series["metric"]["pod"] for series in json.loads(body)["data"]["result"]]
    assert sorted(row.split()[1] for row in rows) == sorted(known) and len(known) > 10
    assert [row.split()[-1] for row in rows if " geo-" in row] == ["9"]


def test_a_range_has_a_column_for_each_step(backend):
    twin = backend.fork()
    twin.shell.run(f"kubectl rollout restart -n {NAMESPACE} deploy/profile; sleep 150", timeout=300)
    now = int(twin.now())
    query = f'sum by (container, pod) (container_threads{{namespace="{NAMESPACE}",pod=~"profile.*|search.*"}})'
    given = {"start": now - 600, "end": now, "step": "2m"}
    text = run(Call("query_metrics", (query,), given), toolbox("detection", "all"), Context(twin)).text
    head, titles, *rows = text.splitlines()
    assert head.startswith("2026-03-02T") and len(titles.split()) == 2 + 6
    assert all(len(row.split()) == len(titles.split()) for row in rows)
    assert any((row.split()[2], row.split()[-1]) == ("-", "9") for row in rows)  # the pod that came
    assert any((row.split()[2], row.split()[-1]) == ("9", "9") for row in rows)


def test_a_table_fits_the_limit_and_says_what_to_do(call):
    text = call("query_metrics", "container_threads", shown=2_000)
    assert len(text) <= 2_000 and "; next: ask for fewer series" in text
    text = call("query_traces", "frontend", shown=2_000)
    assert len(text) <= 2_000 and "; next: ask for fewer traces" in text


def test_errors_are_in_the_servers_words(call):
    with pytest.raises(ToolError, match=r'query_metrics: invalid parameter "query": .*parse error: unexpected'):
        call("query_metrics", "up{")
    with pytest.raises(ToolError, match="time: missing unit in duration"):
        call("query_traces", "geo", min_duration="5")
    with pytest.raises(ToolError, match=r"no service 'nobody' sent spans\. There are: frontend, geo, "):
        call("query_traces", "nobody")
    with pytest.raises(ToolError, match="write tags as name=value"):
        call("query_traces", "geo", tags="error")
    assert call("query_metrics", "nothing_has_this_name") == "No series."


def test_a_server_without_a_pod_is_told(backend):
    twin = backend.fork()
    twin.shell.run("kubectl scale -n observe deploy/prometheus-server --replicas=0; sleep 20")
    with pytest.raises(ToolError, match="prometheus answers 503: no endpoints available"):
        run(Call("query_metrics", ("up",)), toolbox("detection", "all"), Context(twin))


def test_traces_are_searched_as_jaeger_does(call, backend):
    titles, *rows = call("query_traces", "frontend", tags="error=true", limit=20).splitlines()
    assert titles.split() == ["trace_id", "start", "duration_ms", "spans", "root", "failed"]
    known = searches.get_traces(backend.fork().world, [row.split()[0] for row in rows])
    assert len(rows) == len(known) == 20
    assert all(any(span.error and span.service == "frontend" for span in spans) for spans in known.values())


def test_a_single_trace_is_shown_with_all_its_spans(backend):
    context = Context(backend.fork())
    query = Call("query_traces", ("geo",), {"operation": "/geo.Geo/Nearby", "limit": 1})
    titles, *rows = run(query, toolbox("detection", "all"), context).text.splitlines()
    assert titles.split() == ["depth", "start_ms", "duration_ms", "service", "operation", "tags"]
    cells = [row.split() for row in rows]
    assert cells[0][:2] == ["0", "0.000"] and cells[0][3] == "frontend"
    assert all(int(below[0]) <= int(above[0]) + 1 for above, below in pairwise(cells))
    assert any(row[3:5] == ["geo", "/geo.Geo/Nearby"] for row in cells)


ASKED = "api/v1/query?query=container_threads"


@pytest.mark.parametrize(
    "command",
    [
        "kubectl get --raw '{proxy}/{asked}'",
        "kubectl exec -n {namespace} deploy/frontend -- curl -s {inside}/{asked}",
        "kubectl exec -n observe deploy/prometheus-server -- wget -qO- localhost:9090/{asked}",
        "kubectl run -q -i --rm t --image=busybox --restart=Never -- wget -qO- {inside}/{asked}",
        "curl -sG $(kubectl get svc -n observe prometheus-server -o jsonpath='{{.spec.clusterIP}}')/api/v1/query "
        "--data-urlencode 'query=container_threads{{namespace=~\".+\"}}'",
        "curl -s -d query=container_threads 172.18.0.2:32000/api/v1/query",
    ],
)
def test_a_shell_reaches_prometheus_as_operators_do(backend, command):
    places = {"proxy": "/api/v1/namespaces/observe/services/prometheus-server:http/proxy", "namespace": NAMESPACE}
    places |= {"inside": "http://prometheus-server.observe.svc", "asked": ASKED}
    ran = backend.fork().shell.run(command.format(**places))
    assert ran.code == 0 and ran.stdout.startswith('{"status":"success","data":{"resultType":"vector","result":[{')
    assert f'"namespace":"{NAMESPACE}"' in ran.stdout


def test_a_shell_searches_in_jaeger(backend):
    twin, url = backend.fork(), "jaeger:16686/api/traces"
    asked = f'curl -sG {url} -d service=geo -d limit=2 --data-urlencode \'tags={{"span.kind":"server"}}\''
    ran = twin.shell.run(f"kubectl exec -n {NAMESPACE} deploy/frontend -- {asked} | jq -r '.data[].traceID'")
    assert {*ran.stdout.split()} == {*searches.get_traces(twin.world, ran.stdout.split())} != set()
    raw = f"/api/v1/namespaces/{NAMESPACE}/services/jaeger:16686/proxy/api"
    assert twin.shell.run(f"kubectl get --raw {raw}/services | jq -r '.data[0]'").stdout == "frontend\n"
    refused = twin.shell.run(f"kubectl get --raw {raw}/traces")
    text = "Error from server (BadRequest): the server rejected our request for an unknown reason\n"
    assert (refused.code, refused.stderr) == (1, text)


def test_pages_of_changes_are_all_of_them(call, backend):
    whole = list_changes(backend.cluster, NAMESPACE, 0)
    rows, command, offset = [], "", 0
    while True:
        *lines, last = call("get_changes", NAMESPACE, LONGEST, offset, shown=1_500).splitlines()
        paged = last.startswith("[rows ")
        rows += lines[1:] if paged else [*lines[1:], last]
        command = last.rpartition("next: ")[2].rstrip("]") if "next: " in last else ""
        if not command:
            break
        assert command == f"get_changes('{NAMESPACE}', {LONGEST}, {len(rows)})"
        offset = len(rows)
    assert len(rows) == len(whole) and offset
    assert [row.split()[0] for row in rows] == [each.row[0] for each in whole]
    assert not any(row.endswith(" ") for row in rows)


def test_a_change_of_a_long_value_says_in_what_it_differs():
    one, other = ({"image": f"registry.example.org/some/long/path/of/a/component:{tag}"} for tag in ("latest", "2.1.0"))
    assert _differ(one, other) == ["image: ...:latest -> ...:2.1.0"]
    assert _differ({"limits": None}, {"limits": {"cpu": "1"}}) == ['limits: none -> {"cpu": "1"}']
