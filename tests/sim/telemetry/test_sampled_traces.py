"""Traces tell what the requests did, as long as somebody collects them."""

from collections import Counter

import pytest
from toy_shop import START, change, make_shop, stop

from aiops_gym.sim import traffic
from aiops_gym.sim.telemetry import logs, traces


@pytest.fixture
def shop():
    return make_shop()


def spans_by_trace(spans):
    found = {}
    for span in spans:
        found.setdefault(span.trace, []).append(span)
    return found


def test_all_services_that_worked_are_listed(shop):
    assert traces.list_services(shop) == []
    shop.run(60_000)
    assert traces.list_services(shop) == ["front", "stock"]


def test_every_span_has_its_parent_in_its_trace_and_lies_within_it(shop):
    shop.run(60_000)
    spans, _ = traces.find_traces(shop, "front", START, shop.now - 1_000, 40)
    for trace in spans_by_trace(spans).values():
        by_id = {span.span: span for span in trace}
        assert sum(not span.parent for span in trace) == 1
        for span in trace:
            if span.parent:
                above = by_id[span.parent]
                assert above.start <= span.start + 1
                assert span.start + span.duration <= above.start + above.duration + 2


def test_the_newest_traces_come_first_and_the_rest_is_counted(shop):
    shop.run(60_000)
    spans, total = traces.find_traces(shop, "front", START, shop.now, 20)
    roots = [span.start for span in spans if not span.parent]
    assert len(roots) == 20 and roots == sorted(roots, reverse=True)
    assert total > 1_000
    assert traces.find_traces(shop, "front", START, shop.now, 10_000)[1] == total


def test_traces_and_error_lines_tell_the_same_story(shop):
    shop.run(30_000)
    stop(shop, "stock")
    shop.run(30_000)
    spans, _ = traces.find_traces(shop, "front", START, shop.now, 100_000)
    failed = Counter((s.start + s.duration) // 1000 for s in spans if s.operation == "/stock.Stock/Take" and s.error)
    assert sum(failed.values()) == logs.read(shop, "uid-front/main").count("taking from stock failed") > 100
    answers = Counter(dict(s.tags)["http.status_code"] for s in spans if not s.parent)
    assert answers["500"] == sum(failed.values())
    assert answers["500"] == sum(r.status == 500 for r in traffic.list_requests(shop, START, shop.now))


def test_spans_sent_while_the_tracer_was_away_are_lost(shop):
    shop.run(30_000)
    stop(shop, "jaeger")
    shop.run(30_000)
    assert traces.list_services(shop) == [] and traces.find_traces(shop, "front", START, shop.now, 10) == ([], 0)
    change(shop, "jaeger", running=True, ended=0, ports=[6831], started=shop.now)
    again = shop.now
    shop.run(30_000)
    spans, total = traces.find_traces(shop, "front", START, shop.now, 10_000)
    assert 300 < total < 800
    assert min(span.start + span.duration for span in spans) >= again * 1000


def test_a_service_keeps_the_sample_ratio_of_its_environment():
    shop = make_shop()
    change(shop, "front", env={"JAEGER_SAMPLE_RATIO": "0.1"})
    shop.run(300_000)
    _, total = traces.find_traces(shop, "front", START, shop.now, 1)
    assert 450 < total < 750


def test_a_service_that_is_never_reached_sends_nothing(shop):
    shop.run(1_000)
    start = shop.now
    stop(shop, "stock")
    shop.run(60_000)
    assert traces.find_traces(shop, "stock", start + 10, shop.now, 10) == ([], 0)


def test_a_trace_made_for_one_service_is_the_same_when_another_asks_for_it(shop):
    shop.run(60_000)
    end = shop.now
    traces.find_traces(shop, "stock", START, end, 30)
    shop.run(300)
    kept = traces.find_traces(shop, "front", START, end, 30)
    traces._windows.clear()
    assert traces.find_traces(shop, "front", START, end, 30) == kept


def test_a_span_that_was_not_over_yet_appears_when_it_is(shop):
    shop.run(10_000)
    ahead = shop.fork()
    ahead.run(10_000)
    end = ahead.now
    roots = [span for span in traces.find_traces(ahead, "front", shop.now, end, 500)[0] if not span.parent]
    slow = max(roots, key=lambda span: span.duration)
    shop.run_until((slow.start + slow.duration // 2) // 1000)
    early, _ = traces.find_traces(shop, "front", START, end, 500)
    shop.run_until((slow.start + slow.duration) // 1000 + 1)
    late, _ = traces.find_traces(shop, "front", START, end, 500)
    assert slow not in early and slow in late
