"""The labels of the shop cannot be read from row counts, ids or order: failures change values."""

import pytest

SIGNALS = {
    "metric_container": {"value"},
    "metric_mesh": {"value"},
    "metric_node": {"value"},
    "metric_runtime": {"value"},
    "metric_service": {"rr", "sr", "mrt"},
    "trace_span": {"timestamp", "duration", "status_code"},
}
"""Columns in which failures may show; all others are the same whatever fails."""


def everything(bed):
    """Each reason at each level."""
    found = [
        (reason, component)
        for reason in bed.domain.reasons
        for component in (("node-3",) if reason.startswith("node") else ("frontend-2", "adservice", "cartservice"))
    ]
    step = 23 / len(found)
    return [bed.failure(component, reason, step * (number + 1)) for number, (reason, component) in enumerate(found)]


@pytest.mark.parametrize("table", SIGNALS)
def test_all_but_the_intended_columns_are_the_same_whatever_fails(bed, table):
    quiet, failing = bed.table(table), bed.table(table, *everything(bed))
    changed = {name for name in quiet if len(quiet[name]) != len(failing[name]) or (quiet[name] != failing[name]).any()}
    assert changed == SIGNALS[table]


@pytest.mark.parametrize("table", ["log_service", "log_proxy"])
def test_lines_stay_where_they_are_and_only_their_texts_tell_of_failures(bed, table):
    failures = everything(bed)
    quiet, failing = bed.table(table), bed.table(table, *failures)
    for name in ("log_id", "timestamp", "cmdb_id", "log_name"):
        assert failing[name].tolist() == quiet[name].tolist()
    assert not any("\n" in line for line in (*quiet["value"], *failing["value"]))
    changed = failing["value"] != quiet["value"]
    assert 0 < changed.mean() < 0.2
    for moment in failing["timestamp"][changed]:
        assert any(each.onset <= moment < each.end for each in failures)
    said = [line for line in failing["value"][changed] if "ms" not in line and '" 200 - via_upstream' not in line]
    assert said
    assert any("rpc error: code = " in line for line in said)


def test_texts_that_failures_write_are_written_without_them_too(beds):
    """A word alone proves nothing."""
    bed = beds["cloudbed-1"]
    failing = bed.table("log_service", *everything(bed))["value"]
    quiet = bed.table("log_service")["value"]
    for text in ("rpc error: code = ", "severity: warning", "severity: error"):
        assert any(text in line for line in quiet)
        assert any(text in line for line in failing)


def test_a_failure_that_shows_nowhere_leaves_all_as_it_was(bed):
    hidden = [bed.failure(each.component, each.reason, 12, shown=()) for each in everything(bed)]
    for table in bed.domain.tables:
        quiet, failing = bed.table(table.name), bed.table(table.name, *hidden)
        assert all((quiet[name] == failing[name]).all() for name in quiet), table.name


def test_failures_do_not_move_the_draws_of_other_days_or_the_labels(beds):
    one, two = (bed.job.failures for bed in beds.values())
    assert one and two and {each.timestamp for each in one} != {each.timestamp for each in two}
