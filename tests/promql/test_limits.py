"""Whatever is asked ends soon, with an answer or an error: nothing that a query says can hang or break the world."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import promql_drawn
import promql_samples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from promql_replies import Described

from aiops_gym.sim.promql.errors import TOO_MANY_SAMPLES
from aiops_gym.sim.software.prometheus_api import router

MIDDLE = (promql_samples.START + promql_samples.LENGTH // 2) / 1000
LARGE = (
    *("(" * 50_000 + "1" + ")" * 50_000, "-" * 50_000 + "1", "abs(" * 5_000 + "up" + ")" * 5_000, "1" + "+1" * 5_000),
    *("up[" * 5_000, "sum(" * 300 + "up" + ")" * 300, "1" + "^1" * 3_000, "9" * 6_000, "0x" + "f" * 6_000),
    *(f"up[{'9' * 6_000}y]", "up[" + "9" * 18 + "s]", "up @ 9e18", "up @ -9e18", "up offset 290y", "up offset -290y"),
    *("max_over_time(up[100y:1ms])", "max_over_time(vector(1)[290y:1ms] offset 1y)", "{a=~'" + "(" * 5_000 + "'}"),
    *("max_over_time(max_over_time(up[1d:1s])[1d:1s])", "up{job=~'" + "a|" * 5_000 + "b'}", "up{job=~'(x+x+)+y'}"),
    *("sum_over_time({__name__=~'.+'}[2h:1s])", "topk(9e18, up)", "topk(1e300, up)", "quantile(NaN, up)"),
    "label_replace(" * 60 + "up" + ', "a", "x$1$1", "a", "(.*)")' * 60,
    f"up{{job=~'{'(.|.)' * 40}x'}}",
    f"up{{instance=~'{'.?' * 60}{'.' * 60}'}}",
    f"label_replace(up, 'a', '$1', 'instance', '{'(.|.)' * 12}.*.*.*.*x')",
)


@pytest.fixture(scope="module")
def samples() -> Described:
    return Described(promql_samples.draw(9).series)


def ask(samples: Described, path: str = "/api/v1/query", **form: object) -> tuple[int, dict[str, object]]:
    status, text = router.answer(samples, 0, f"{path}?{urlencode(form)}")
    return status, json.loads(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("query", LARGE, ids=range(len(LARGE)))
def test_a_large_query_ends(samples: Described, query: str) -> None:
    for time in (MIDDLE, 0, -999_999_999_999, 999_999_999_999):
        status, body = ask(samples, query=query, time=time)
        assert status in (200, 400, 422), body
        assert body["status"] == ("success" if status == 200 else "error")


def test_samples_are_counted(samples: Described) -> None:
    status, body = ask(samples, query="max_over_time(max_over_time(up[1h:1s])[1h:1s])", time=MIDDLE)
    assert (status, body["error"]) == (422, TOO_MANY_SAMPLES)
    window = {"start": MIDDLE - 1000, "end": MIDDLE, "step": 0.1}
    status, body = ask(samples, "/api/v1/query_range", query="sum(rate(http_requests_total[1h]))", **window)
    assert (status, body["error"]) == (422, TOO_MANY_SAMPLES)
    status, body = ask(samples, "/api/v1/query_range", query="sum(http_requests_total)", **window)
    assert status == 200


@settings(max_examples=300)
@given(st.integers(0, 2**32), st.lists(st.tuples(st.floats(0, 1), st.sampled_from(promql_drawn.BITS)), max_size=6))
def test_nothing_that_is_written_breaks_it(seed: int, added: list[tuple[float, str]]) -> None:
    text = promql_drawn.Drawer(seed).query()
    for where, bit in added:
        at = int(where * len(text))
        text = text[:at] + bit + text[at:]
    status, body = ask(FEW, query=text, time=MIDDLE)
    assert status in (200, 400, 422), body


FEW = Described(promql_samples.draw(10).series[::5])
