"""What the summaries find in telemetry, and in noise."""

from __future__ import annotations

import math

import numpy as np
import pytest
import small_telemetry as small
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from aiops_gym.openrca.summaries import spans as spans_module
from aiops_gym.openrca.summaries import templates as templates_module
from aiops_gym.openrca.summaries.deviations import find_deviations
from aiops_gym.openrca.summaries.quantiles import describe
from aiops_gym.openrca.summaries.runs import THRESHOLD, compute_medians, compute_scores, estimate_usual, find_runs
from aiops_gym.openrca.summaries.spans import group_by_call, group_by_component, group_by_operation
from aiops_gym.openrca.summaries.templates import collect_templates, mask
from aiops_gym.openrca.summaries.window import MINUTE, make_window

METRICS = [table for table in small.BANK.tables if table.modality == "metric"]
SPANS = small.BANK.table("get_traces")
LOGS = small.BANK.table("get_logs")

numbers = st.floats(-1e6, 1e6) | st.just(math.nan)
matrices = st.tuples(st.integers(1, 5), st.integers(1, 12)).flatmap(
    lambda shape: arrays(float, shape, elements=numbers)
)


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    return small.bank(tmp_path_factory.mktemp("bank"))


def ask(first, last, day=small.DAY):
    """A window of whole minutes of the day, and the hour before it."""
    return make_window(
        1000 * small.minute(first, day), 1000 * small.minute(last + 1, day) - 1, 60, 1000 * small.minute(0, day)
    )


def test_a_rise_is_found_with_its_minute_its_length_and_its_size(bank):
    found = find_deviations(bank, METRICS, ask(60, 90))
    best = found.deviations[0]
    busy = next(each for each in found.deviations if each.kpi == small.CPU)
    assert (best.component, best.kpi, best.samples) == ("MG01", small.WAITS, 4)
    assert (busy.component, busy.first, busy.samples) == ("Tomcat01", 1000 * small.minute(72), 5)
    assert busy.before == 23.0
    assert busy.during == pytest.approx(20 + 40 + np.mean([m % 7 for m in range(72, 77)]))
    assert busy.z > 10
    assert found.series == 6 + 4
    assert found.runs == len(found.deviations)


def test_nothing_deviates_when_nothing_happens(bank):
    found = find_deviations(bank, METRICS, ask(40, 70))
    assert found.deviations == []


def test_only_the_component_and_the_kpi_that_are_asked_for_are_compared(bank):
    assert {each.component for each in find_deviations(bank, METRICS, ask(60, 90), "MG01").deviations} == {"MG01"}
    assert {each.kpi for each in find_deviations(bank, METRICS, ask(60, 90), kpi="cpuuser").deviations} == {small.CPU}
    assert find_deviations(bank, METRICS, ask(60, 90), "Mysql01").series == 0


def test_a_window_without_time_before_it_is_compared_with_the_time_after_it(tmp_path):
    recording = small.bank(tmp_path, busy=range(3, 8))
    early = ask(0, 29)
    assert early.after
    best = find_deviations(recording, METRICS, early).deviations[0]
    assert (best.component, best.first) == ("Tomcat01", 1000 * small.minute(3))


def test_series_that_begin_or_stop_are_named(tmp_path):
    rows = small.bank_rows()
    rows["metric_container"] = [
        *((small.minute(m), "Redis01", "old", 1.0) for m in range(60)),
        *((small.minute(m), "Redis01", "new", 1.0) for m in range(60, 90)),
    ]
    small.write(tmp_path / "Bank", small.BANK, small.DAY, rows)
    found = find_deviations(small.Recording(small.BANK, tmp_path / "Bank"), METRICS, ask(60, 89))
    assert (found.new, found.stopped) == ([("Redis01", "new")], [("Redis01", "old")])


def test_each_item_of_a_kpi_is_a_series_of_its_own(tmp_path):
    day = "2020-04-11"
    rows = [
        (
            item,
            "Tbs_Used_Pct",
            "ZJ-1",
            1000 * small.minute(m, day) + 23_000,
            50.0 + (40 if item == 2 and m > 70 else 0),
            "db_003",
        )
        for m in range(90)
        for item in (1, 2, 3)
    ]
    recording = small.telecom(tmp_path, {"metric_service": rows})
    around = ask(60, 89, day)
    found = find_deviations(recording, [small.TELECOM.table("get_metric_service")], around)
    assert found.series == 3
    [rise] = found.deviations
    assert (rise.component, rise.kpi, rise.first) == ("db_003", "Tbs_Used_Pct", 1000 * small.minute(71, day))


def test_rows_that_share_a_minute_are_one_sample(tmp_path):
    day = "2020-04-11"
    rows = [("osb_001", 1000 * small.minute(m, day), 1.0 + half, 5, 5, 1.0) for m in range(90) for half in (0.0, 1.0)]
    recording = small.telecom(tmp_path, {"metric_app": rows})
    around = ask(60, 89, day)
    assert find_deviations(recording, [small.TELECOM.table("get_metric_app")], around).deviations == []


def test_slow_spans_are_told_by_component_with_the_first_slow_minute(bank):
    by_name = {group.names[0]: group for group in group_by_component(bank, SPANS, ask(60, 89))}
    assert by_name["IG01"].count == 90
    assert by_name["IG01"].before == pytest.approx(90)
    assert by_name["IG01"].first == by_name["Tomcat01"].first == 1000 * small.minute(80)
    assert by_name["MG01"].z == 0
    assert math.isnan(by_name["IG01"].errors)
    assert by_name["Tomcat01"].p95 >= 180 > 90 > by_name["Tomcat01"].p95_before


def test_a_slow_network_shows_in_the_call_and_not_beside_it(bank):
    (slow, other), seconds = group_by_call(bank, SPANS, ask(60, 89))
    assert seconds == 60
    assert slow.names == ("Tomcat01", "MG01")
    assert slow.first == 1000 * small.minute(80)
    assert slow.mean == pytest.approx(50 + 1.5 + 100 * 4 / 30, abs=0.2)
    assert (other.names, other.z) == (("IG01", "Tomcat01"), 0)
    assert other.mean == 20
    assert [each.names for each in group_by_call(bank, SPANS, ask(60, 89), "IG01")[0]] == [("IG01", "Tomcat01")]


def test_of_too_many_spans_the_first_seconds_of_each_minute_are_looked_up(bank, monkeypatch):
    monkeypatch.setattr(spans_module, "MOST", 400)
    (slow, other), seconds = group_by_call(bank, SPANS, ask(60, 89))
    assert seconds == 29
    assert (slow.count, slow.before, other.count) == (60, 60, 60)
    assert slow.first == 1000 * small.minute(80)


def test_failing_spans_are_told_by_operation(tmp_path):
    day, rows = "2020-04-11", []
    for m in range(90):
        for n in range(4):
            fine = "False" if m in (75, 76) else "True"
            at = 1000 * small.minute(m, day) + n
            rows.append(("JDBC", at, 2.5, fine, f"t{m}{n}", f"s{m}{n}", "None", "docker_005", "db_003", ""))
            rows.append(
                ("LOCAL", at, 1.5, "TRUE", f"t{m}{n}", f"l{m}{n}", "None", "docker_005", "db_003", "local_method_017")
            )
    recording = small.telecom(tmp_path, {"trace_span": rows})
    around = ask(60, 89, day)
    failing, fine = group_by_operation(recording, small.TELECOM.table("get_traces"), around)
    assert failing.names == ("docker_005", "JDBC db_003")
    assert (failing.count, failing.errors, failing.errors_before) == (120, 8, 0)
    assert (failing.first, failing.p95) == (1000 * small.minute(75, day), 2.5)
    assert (fine.names, fine.errors, fine.z) == (("docker_005", "LOCAL db_003 local_method_017"), 0, 0)


def test_log_lines_of_one_form_are_one_template_and_a_burst_has_its_minute(bank):
    lines = collect_templates(bank, LOGS, ask(60, 100))
    burst, access = lines.templates
    assert (burst.component, burst.template, burst.count, burst.before) == ("IG01", "[Full GC, <*> K, <*> secs]", 27, 0)
    assert burst.first == 1000 * small.minute(90)
    assert burst.example == "[Full GC, 90 K, 1.5 secs]"
    assert (access.template, access.count, access.z) == ("GET /a/<*> <*> ms", 82, 0)
    assert collect_templates(bank, LOGS, ask(60, 100), "MG01").templates == []


def test_many_lines_are_thinned_without_losing_those_that_alternate(bank, monkeypatch):
    monkeypatch.setattr(templates_module, "MOST", 20)
    lines = collect_templates(bank, LOGS, ask(60, 100))
    assert (lines.count, lines.step) == (109, 6)
    assert sum(each.count for each in lines.templates) == pytest.approx(109, abs=6)


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("took 12.5 ms, 3 of 4", "took <*> ms, <*> of <*>"),
        ("user 5c0f3a9e-12ab-34cd-56ef-7890abcdef12 ok", "user <*> ok"),
        ("facade of a cafe", "facade of a cafe"),
        ("at 0x7f3a by 10.0.3.7:8080", "at <*> by <*>"),
        ("", ""),
    ],
)
def test_what_differs_from_line_to_line_is_masked(line, masked):
    assert mask(line) == masked


@given(matrices)
def test_medians_are_those_of_numpy(matrix):
    found, count = compute_medians(matrix)
    for row, middle, known in zip(matrix, found, count, strict=True):
        present = row[~np.isnan(row)]
        assert known == len(present)
        assert math.isnan(middle) if not known else middle == pytest.approx(np.median(present))


@given(matrices)
def test_runs_are_those_that_a_loop_finds(z):
    expected = []
    for row, values in enumerate(z.tolist()):
        open_side = 0
        for column, value in enumerate(values):
            if math.isnan(value):
                continue
            side = (value > THRESHOLD) - (value < -THRESHOLD)
            if side and side == open_side:
                expected[-1][2].append(value)
            elif side:
                expected.append((row, column, [value]))
            open_side = side
    found = find_runs(z)
    assert found.series.tolist() == [row for row, _, _ in expected]
    assert found.first.tolist() == [column for _, column, _ in expected]
    assert found.samples.tolist() == [len(values) for _, _, values in expected]
    for strength, (_, _, values) in zip(found.strength.tolist(), expected, strict=True):
        assert strength == pytest.approx(sum(values) / math.sqrt(len(values)))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4000)), max_size=40), st.sampled_from((0.5, 0.95, 1.0)))
def test_a_quantile_is_a_value_that_the_share_does_not_exceed(pairs, share):
    groups = np.array([group for group, _ in pairs], np.int64)
    values = np.array([value for _, value in pairs], np.int64)
    [found] = describe(values, groups, 4, (share,)).quantiles
    [exact] = describe(values / 8, groups, 4, (share,)).quantiles
    [long] = describe(values + 4096, groups, 4, (share,)).quantiles
    for group in range(4):
        mine = sorted(value for each, value in pairs if each == group)
        if not mine:
            assert math.isnan(found[group])
            continue
        assert found[group] in mine
        assert exact[group] == pytest.approx(found[group] / 8, abs=5e-4)
        assert long[group] == found[group] + 4096
        assert sum(value <= found[group] for value in mine) >= share * len(mine)
        assert sum(value < found[group] for value in mine) < share * len(mine)


def test_the_usual_range_is_never_narrower_than_a_share_of_the_level():
    median, deviation = estimate_usual(np.array([[1000.0, 1000.1] * 15]))
    assert (median[0], deviation[0]) == (1000.05, pytest.approx(5.0, rel=1e-3))
    assert compute_scores(np.array([[1004.05, np.nan]]), median, deviation)[0, 0] == pytest.approx(0.8, rel=1e-3)


def test_any_change_of_what_never_changed_deviates():
    started = np.full((1, 30), 1.6e9)
    median, deviation = estimate_usual(started)
    assert compute_scores(np.array([[1.6e9, 1.6e9 + 86_400]]), median, deviation)[0].tolist() == [0.0, 54.0]
    assert np.isnan(estimate_usual(np.full((1, 30), np.nan))[0][0])


@given(st.integers(0, 5000), st.integers(0, 200), st.integers(10, 720), st.integers(0, 3000))
def test_a_window_and_its_comparison_never_overlap(start, length, minutes, earliest):
    found = make_window(start * MINUTE + 7, (start + length) * MINUTE + 9, minutes, min(earliest, start) * MINUTE)
    columns = set(range(found.slots))
    own, base = (set(list(columns)[part]) for part in (found.own, found.base))
    assert own and base and not own & base
    assert len(own) == length + 1
    assert found.after == (found.base_start > found.end)
