"""Jaeger's query API: what is found is what all spans say, in the words and shapes of version 1.57."""

import json
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim.software import jaeger_api
from aiops_gym.sim.software.jaeger_json import group
from aiops_gym.sim.telemetry import calls, searches, spans, traces
from aiops_gym.sim.telemetry.spans import Wanted

SERVICES = ("frontend", "search", "geo", "rate", "nobody")
TAGS = (
    ("error", "true"),
    ("http.status_code", "200"),
    ("http.status_code", "500"),
    ("span.kind", "client"),
    ("response_class", "2xx"),
    ("nothing", ""),
)
SPAN = 20_000
"""Milliseconds of the world that questions are about."""


@pytest.fixture(scope="module")
def world():
    return Simulated(registry.find_problem("container_kill-detection"), 1).world


@pytest.fixture(scope="module")
def everything(world):
    """All traces that began lately, newest first."""
    found = {}
    for service in traces.list_services(world):
        rows, total = traces.find_traces(world, service, world.now - 2 * SPAN, world.now, 100_000)
        assert len(group(rows)) == total
        found |= {each[0].trace: each for each in group(rows)}
    return found


def ask(world, path, method="GET", **query):
    found = jaeger_api.answer(world, method, f"{path}?{urlencode(query, doseq=True)}" if query else path)
    return found.status, json.loads(found.body)


def is_meant(span, wanted):
    """As Jaeger's store decides it, span by span."""
    have = {*span.tags, *([("error", "true")] if span.error else [])}
    return (
        span.service == wanted.service
        and wanted.operation in ("", span.operation)
        and wanted.least <= span.duration <= wanted.most
        and wanted.since <= span.start <= wanted.until
        and have.issuperset(wanted.tags)
    )


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_search_finds_exactly_the_traces_in_which_one_span_is_all_that_is_wanted(world, everything, data):
    rows = [span for trace in everything.values() for span in trace]
    operations = ["", *sorted({span.operation for span in rows})[::3]]
    ends = st.integers((world.now - SPAN) * 1000, world.now * 1000)
    since, until = sorted([data.draw(ends), data.draw(ends)])
    least, most = sorted(data.draw(st.tuples(st.integers(0, 20_000), st.sampled_from([900, 15_000, spans.ENDLESS]))))
    tags = tuple(data.draw(st.lists(st.sampled_from(TAGS), max_size=2, unique_by=lambda tag: tag[0])))
    service, operation = data.draw(st.sampled_from(SERVICES)), data.draw(st.sampled_from(operations))
    wanted = Wanted(service, operation, least, most, since, until, tags)
    limit = data.draw(st.sampled_from([1, 20, 10_000]))
    meant = {key for key, trace in everything.items() if any(is_meant(span, wanted) for span in trace)}
    shown = group(searches.search(world, wanted, limit))
    assert len(shown) == min(limit, len(meant))
    assert all(everything[trace[0].trace] == trace for trace in shown)
    starts = {key: min(span.start for span in everything[key]) for key in meant}
    newest = sorted(starts.values(), reverse=True)[: len(shown)]
    assert [starts[trace[0].trace] for trace in shown] == newest


def test_rare_failures_are_found_however_many_requests_went_well_since(world):
    code, found = ask(world, "/api/traces", service="frontend", tags='{"error":"true"}', limit=5)
    assert code == 200 and len(found["data"]) == 5
    for trace in found["data"]:
        assert any({"key": "error", "type": "bool", "value": True} in span["tags"] for span in trace["spans"])


def test_the_shape_of_a_trace(world):
    _, found = ask(world, "/api/traces", service="frontend", limit=1, operation="HTTP GET /hotels")
    assert list(found) == ["data", "total", "limit", "offset", "errors"]
    assert (found["total"], found["limit"], found["offset"], found["errors"]) == (0, 0, 0, None)
    (trace,) = found["data"]
    assert list(trace) == ["traceID", "spans", "processes", "warnings"]
    keys = "traceID spanID flags operationName references startTime duration tags logs processID warnings"
    assert all(list(span) == keys.split() for span in trace["spans"])
    assert {span["processID"] for span in trace["spans"]} == set(trace["processes"])
    assert {"key": "http.status_code", "type": "int64", "value": 200} in trace["spans"][0]["tags"]
    assert ask(world, f"/api/traces/{trace['traceID']}") == (200, found)
    assert ask(world, f"/api/traces/{trace['traceID'].upper().zfill(32)}") == (200, found)
    ids = [trace["traceID"], "abc"]
    lost = [{"msg": "trace not found", "traceID": "0000000000000abc"}]
    assert ask(world, "/api/traces", traceID=ids) == (200, {**found, "errors": lost})
    pretty = jaeger_api.answer(world, "GET", f"/api/traces/{trace['traceID']}?prettyPrint=true").body
    assert pretty.startswith('{\n    "data": [\n') and json.loads(pretty) == found


def test_tags_are_given_one_by_one_or_together(world):
    (one,) = ask(world, "/api/traces", service="geo", limit=1)[1]["data"]
    (span,) = [span for span in one["spans"] if span["operationName"] == "/geo.Geo/Nearby"][-1:]
    pairs = [f"{tag['key']}:{tag['value']}" for tag in span["tags"]]
    assert "internal.span.format:jaeger" in pairs and len(pairs) > 2
    everywhere = json.dumps(dict(pair.split(":") for pair in pairs))
    for query in ({"tag": pairs}, {"tags": everywhere}, {"tag": pairs[:1], "tags": everywhere}):
        assert ask(world, "/api/traces", service="geo", limit=1, **query)[1]["data"] == [one]
    assert ask(world, "/api/traces", service="geo", tag="internal.span.format:proto")[1]["data"] == []


def test_a_span_whose_parent_never_came_says_so(world):
    _, found = ask(world, "/api/traces", service="frontend", limit=1)
    known = searches.get_traces(world, [found["data"][0]["traceID"]])
    ((_, *rest),) = known.values()
    shown = jaeger_api.show_trace(rest)["spans"]
    parent = rest[0].parent
    assert shown[0]["warnings"] == [f"invalid parent span IDs={parent}; skipping clock skew adjustment"]
    assert jaeger_api.show_trace(rest, adjusted=False)["spans"][0]["warnings"] is None


def test_the_shape_of_opentelemetry(world):
    now = world.timestamp
    query = {"query.service_name": "geo", "query.num_traces": 1}
    query |= {"query.start_time_min": "2020-01-01T00:00:00Z", "query.start_time_max": now}
    code, found = ask(world, "/api/v3/traces", **query)
    assert code == 200
    parts = found["result"]["resourceSpans"]
    names = [part["resource"]["attributes"] for part in parts]
    assert [{"key": "service.name", "value": {"stringValue": "geo"}}] in names
    made = [span for part in parts for scope in part["scopeSpans"] for span in scope["spans"]]
    assert {len(span["traceId"]) for span in made} == {32} and len({span["traceId"] for span in made}) == 1
    roots = [span for span in made if span["parentSpanId"] == ""]
    assert [span["kind"] for span in roots] == [2] and all(span["startTimeUnixNano"].endswith("000") for span in made)
    assert ask(world, f"/api/v3/traces/{made[0]['traceId']}") == (200, found)


def test_operations_and_dependencies_count_all_that_is_there(world, everything):
    rows = [span for trace in everything.values() for span in trace if span.service == "search"]
    names = set(calls.list_operations(world, "search"))
    assert names >= {(span.operation, dict(span.tags).get("span.kind", "")) for span in rows} != set()
    for name, kind in names:
        found = searches.search(world, Wanted("search", name, tags=(("span.kind", kind),)), 1)
        assert any((span.service, span.operation) == ("search", name) for span in found)
    _, plain = ask(world, "/api/services/search/operations")
    assert plain["data"] == sorted({name for name, _ in names}) and plain["total"] == len(plain["data"])
    _, kinds = ask(world, "/api/operations", service="search", spanKind="client")
    assert {(row["name"], row["spanKind"]) for row in kinds["data"]} == {each for each in names if each[1] == "client"}
    counts = {}
    begin, end = world.now - SPAN, world.now
    for trace in everything.values():
        by = {span.span: span.service for span in trace}
        if any(begin * 1000 < span.start < end * 1000 for span in trace):
            for span in trace:
                pair = by.get(span.parent), span.service
                if pair[0] and pair[0] != pair[1]:
                    counts[pair] = counts.get(pair, 0) + 1
    assert calls.count_calls(world, begin, end) == [(*pair, count) for pair, count in sorted(counts.items())]
    _, found = ask(world, "/api/dependencies", endTs=end, lookback=SPAN, service="geo")
    assert found["data"] == [{"parent": "search", "child": "geo", "callCount": counts["search", "geo"]}]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("traces", "parameter 'service' is required"),
        ("operations", "parameter 'service' is required"),
        (
            "traces?service=geo&start=x",
            "unable to parse param 'start': strconv.ParseInt: parsing \"x\": invalid syntax",
        ),
        ("traces?service=geo&limit=x", 'strconv.ParseInt: parsing "x": invalid syntax'),
        ("traces?service=geo&limit=9999999999", 'strconv.ParseInt: parsing "9999999999": value out of range'),
        ("traces?service=geo&tag=x", "malformed 'tag' parameter, expecting key:value, received: x"),
        (
            "traces?service=geo&tags={error:true}",
            "malformed 'tags' parameter, cannot unmarshal JSON: "
            "invalid character 'e' looking for beginning of object key string",
        ),
        (
            'traces?service=geo&tags={"error":true}',
            "malformed 'tags' parameter, cannot unmarshal JSON: "
            "json: cannot unmarshal bool into Go value of type string",
        ),
        (
            'traces?service=geo&tags={"error"',
            "malformed 'tags' parameter, cannot unmarshal JSON: unexpected end of JSON input",
        ),
        (
            "traces?service=geo&minDuration=5",
            "unable to parse param 'minDuration': time: missing unit in duration \"5\"",
        ),
        (
            "traces?service=geo&maxDuration=5x",
            'unable to parse param \'maxDuration\': time: unknown unit "x" in duration "5x"',
        ),
        ("traces?service=geo&minDuration=x", "unable to parse param 'minDuration': time: invalid duration \"x\""),
        ("traces?service=geo&minDuration=2s&maxDuration=1s", "'maxDuration' should be greater than 'minDuration'"),
        ("traces?traceID=xyz", 'cannot parse traceID param: strconv.ParseUint: parsing "xyz": invalid syntax'),
        ("traces/xyz", 'strconv.ParseUint: parsing "xyz": invalid syntax'),
        (f"traces/{'a' * 33}", f"TraceID cannot be longer than 32 hex characters: {'a' * 33}"),
        ("dependencies?endTs=x", "unable to parse param 'endTs': strconv.ParseInt: parsing \"x\": invalid syntax"),
        ("metrics/calls", "unable to parse param 'service': please provide at least one service name"),
    ],
)
def test_what_is_not_understood(world, path, why):
    errors = [{"code": 400, "msg": why}]
    assert ask(world, f"/api/{path}") == (400, {"data": None, "total": 0, "limit": 0, "offset": 0, "errors": errors})


def test_other_refusals(world):
    assert ask(world, "/api/traces/abc")[1]["errors"] == [{"code": 404, "msg": "trace not found"}]
    assert ask(world, "/api/metrics/minstep")[0] == 501
    assert ask(world, "/api/archive/abc", "POST")[1]["errors"][0]["msg"] == "archive span storage was not configured"
    assert jaeger_api.answer(world, "POST", "/api/traces?service=geo").status == 405
    assert jaeger_api.answer(world, "GET", "/search").body == jaeger_api.answer(world, "GET", "/api/nope").body
    why = "query.start_time_min and query.start_time_max are required"
    assert ask(world, "/api/v3/traces") == (400, {"error": {"httpCode": 400, "message": why}})
    assert ask(world, "/api/v3/traces/abc") == (404, {"error": {"httpCode": 404, "message": "trace not found"}})


def test_nobody_is_known_as_the_store_has_it(world):
    assert ask(world, "/api/services/nobody/operations")[1]["data"] is None
    assert ask(world, "/api/operations", service="nobody")[1]["data"] == []
    assert ask(world, "/api/traces", service="nobody")[1]["data"] == []
    assert ask(world, "/api/v3/operations", service="nobody") == (200, {})
    assert ask(world, "/api/v3/services")[1]["services"] == ask(world, "/api/services")[1]["data"]


def test_a_fork_and_another_order_of_questions_give_the_same_bytes(world):
    paths = ["/api/dependencies", "/api/traces?service=geo&minDuration=1ms&limit=3", "/api/services/geo/operations"]
    first = [jaeger_api.answer(world, "GET", path).body for path in paths]
    twin = world.fork()
    assert [jaeger_api.answer(twin, "GET", path).body for path in reversed(paths)] == first[::-1]
