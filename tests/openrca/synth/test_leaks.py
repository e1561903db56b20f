"""The labels cannot be read from row counts, ids, file order, KPI names or missing points: failures change values."""

import pytest
from samples import some, some_rows

SIGNALS = {
    ("bank", "metric/metric_app.csv"): {"rr", "sr", "mrt"},
    ("bank", "metric/metric_container.csv"): {"value"},
    ("bank", "trace/trace_span.csv"): {"timestamp", "duration"},
    ("telecom", "metric/metric_app.csv"): {"avg_time", "succee_num", "succee_rate"},
    ("telecom", "metric/metric_container.csv"): {"value"},
    ("telecom", "metric/metric_middleware.csv"): {"value"},
    ("telecom", "metric/metric_node.csv"): {"value"},
    ("telecom", "metric/metric_service.csv"): {"value"},
    ("telecom", "trace/trace_span.csv"): {"startTime", "elapsedTime", "success"},
}
"""Columns in which failures may show; all others are the same whatever fails."""


def everything(small):
    """Each reason once on each component that it may hit, all over the day."""
    hits = [(reason, where) for reason, found in small.job.world.profile.hits.items() for where in found]
    first, last = small.domain.hours
    step = (last - first) / (len(hits) + 1)
    return [small.failure(where, reason, first + step * (number + 1)) for number, (reason, where) in enumerate(hits)]


@pytest.mark.parametrize(("name", "path"), some_rows(SIGNALS, 3))
def test_all_but_the_intended_columns_are_the_same_whatever_fails(request, tmp_path, name, path):
    small = request.getfixturevalue(name)
    quiet, failing = small.rows(path, tmp_path), small.rows(path, tmp_path, everything(small))
    assert len(quiet) == len(failing)
    changed = {
        column
        for column, before, after in zip(quiet[0], zip(*quiet, strict=True), zip(*failing, strict=True), strict=True)
        if before != after
    }
    never = {"rr"} if "middleware" not in path else {"value"}  # Redis is no root cause of this domain.
    assert changed == SIGNALS[name, path] - never


def test_log_lines_stay_where_they_are_and_only_their_texts_tell_of_failures(bank, tmp_path):
    failures = everything(bank)
    quiet, failing = (bank.rows("log/log_service.csv", tmp_path, some)[1:] for some in ((), failures))
    assert [row[:4] for row in failing] == [row[:4] for row in quiet]
    changed = [row for row, before in zip(failing, quiet, strict=True) if row != before]
    assert {row[3] for row in changed} == {"localhost_access_log", "apache_access_log", "gc"}
    for _, moment, component, log, line in changed:
        hit = [each.reason for each in failures if each.component == component and each.onset <= int(moment) < each.end]
        assert hit
        assert log != "gc" or ("Full GC (Allocation Failure)" in line and any("OOM" in reason for reason in hit))


@pytest.mark.parametrize("name", some(["telecom", "bank"], 2))
def test_files_have_as_many_lines_whatever_fails(request, tmp_path, name):
    """Of text, too: a row may have several."""
    small = request.getfixturevalue(name)
    failures = everything(small)
    for table in small.domain.tables:
        quiet, failing = small.written(table.path, tmp_path), small.written(table.path, tmp_path, failures)
        assert quiet.count(b"\n") == failing.count(b"\n"), table.path


@pytest.mark.parametrize("name", some(["telecom", "bank"], 2))
def test_a_failure_that_shows_nowhere_leaves_every_byte_as_it_was(request, tmp_path, name):
    small = request.getfixturevalue(name)
    reason, where = next(iter(small.job.world.profile.hits.items()))
    hidden = small.failure(next(iter(where)), reason, shown=())
    for table in small.domain.tables:
        assert small.written(table.path, tmp_path) == small.written(table.path, tmp_path, [hidden]), table.path
