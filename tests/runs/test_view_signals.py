"""Alerts and golden signals on the page of an episode."""

from __future__ import annotations

import json
from dataclasses import replace

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from viewed import Reader, made, step, telemetry

from aiops_gym.agents.base import make
from aiops_gym.runs import Episode, run_episode
from aiops_gym.runs.view import render_page


@pytest.fixture(scope="module")
def mended():
    """An incident of the real world, repaired by the reference."""
    env = gym.make("aiops_gym/Mitigation-v0", problem="misconfig_app_hotel_res-mitigation-1")
    return run_episode(env, make("reference", env), seed=3)


@pytest.fixture(scope="module")
def watched():
    """An incident whose alerts and golden signals were kept."""
    env = gym.make("aiops_gym/Mitigation-v0", problem="misconfig_app_hotel_res-mitigation-1")
    return run_episode(env, make("reference", env), seed=3, signals=True)


def test_only_who_keeps_an_episode_pays_for_its_signals(mended, watched, tmp_path):
    assert mended.signals == {}
    assert replace(watched, signals={}) == mended
    assert Episode.load(watched.save(tmp_path / "a.json")) == watched
    assert len(json.dumps(watched.signals)) < 30_000


def test_a_page_without_signals_is_as_it_was(mended):
    read = Reader(render_page(mended))
    assert not [e for e in read.elements if e.get("id") == "signals"]
    assert json.loads(next(e["text"] for e in read.all("script") if e.get("id") == "data"))["signals"] is None


def test_each_alert_has_a_row_that_says_in_words_what_its_bar_shows(watched):
    read = Reader(render_page(watched))
    alerts = watched.signals["alerts"]
    assert len(read.all("b", "state")) == len(alerts) >= 2
    bars = [e for e in read.all("svg", "bars") if e.get("role") == "img"]
    told = {e["aria-label"] for e in bars}
    burning = [a["spans"][-1] for a in alerts if a["name"] == "ErrorBudgetBurn"]
    since, fired, _ = next(span for span in burning if span[2] is None)  # chance made another one pending before
    assert fired is None
    assert f"pending from {since:.1f} s" in told
    always = next(a for a in alerts if a["name"] == "Watchdog")["spans"][0]
    assert always[0] == always[1] and f"firing from {always[0]:,.1f} s" in told
    looks = [e["class"].split()[0] for e in read.all("rect") if e.get("class", "").startswith(("pending", "firing"))]
    assert {"pending", "firing"} <= set(looks)


def test_steps_are_marked_on_the_axis_of_the_alerts(watched):
    read = Reader(render_page(watched))
    marks = read.all("a", "at")
    steps = len(watched.steps)
    assert [e["data-step"] for e in marks] == [str(i) for i in range(1, steps + 1)] * 2
    signals = watched.signals
    whole = signals["end"] - signals["start"]
    boxes = [e for e in read.all("rect") if (e.get("class") or "").startswith("k-")][steps:]
    begins = [0.0, *(turn["time"] for turn in watched.steps)][:-1]
    for box, begin in zip(boxes, begins, strict=True):
        assert float(box["x"].rstrip("%")) == pytest.approx(100 * (begin - signals["start"]) / whole, abs=0.01)


def test_golden_signals_have_a_curve_and_a_number_each_and_the_page_knows_them_at_each_step(watched):
    read = Reader(render_page(watched))
    values, curves = read.all("b", "value"), [e for e in read.elements if "curve" in (e.get("class") or "").split()]
    data = json.loads(next(e["text"] for e in read.all("script") if e.get("id") == "data"))["signals"]
    assert len(values) == len(curves) == len(data["values"])
    assert len(data["points"]) == len(data["places"]) == len(data["ends"]) == len(watched.steps) + 1
    assert [e["text"] for e in values] == [texts[data["points"][0]] for texts in data["values"]]
    search = next(e for e in curves if e.get("aria-label", "").startswith("search, errors"))
    assert search["aria-label"] == "search, errors: 0 % to 100 %"
    names = read.texts("th")
    assert {"search", "geo", "mongodb-geo"} <= set(names)


odd_json = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60)
@given(st.data())
def test_odd_signals_are_shown_as_far_as_they_can_be(data):
    found = telemetry("x")
    key = data.draw(st.sampled_from(sorted(found)))
    found[key] = data.draw(odd_json)
    found["alerts"] = data.draw(st.just(found["alerts"]) | st.lists(st.dictionaries(st.just("spans"), odd_json)))
    Reader(render_page(made([step()], signals=found)))
    Reader(render_page(made([step()], signals=data.draw(odd_json))))
