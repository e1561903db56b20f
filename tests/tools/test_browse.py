"""The tool `browse`, over the small bank."""

from __future__ import annotations

import csv

import pytest
import small_telemetry as small

from aiops_gym.errors import ToolError
from aiops_gym.tools import Context, run, toolbox
from aiops_gym.types import Call


class Reader:
    """All that a tool asks of its world."""

    def __init__(self, recording):
        self.recording, self.began = recording, recording.span()[1] / 1000

    def spend(self, seconds):
        """It has time of its own."""


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    return Context(Reader(small.bank(tmp_path_factory.mktemp("browse"))))


def browse(context, **given) -> list[dict[str, str]]:
    text = run(
        Call("browse", ("2021-03-04 00:30", "2021-03-04 00:59:59"), given), toolbox("openrca_bank", "all"), context
    ).text
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("# ")))


def test_pages_follow_each_other_and_have_the_time_of_day(context):
    whole = browse(context, table="metric_container", kpi=small.CPU)
    pages = [browse(context, table="metric_container", kpi=small.CPU, offset=at, limit=40) for at in (0, 40, 80)]
    assert [row for page in pages for row in page] == whole
    assert (whole[0]["time"], int(whole[0]["timestamp"])) == ("2021-03-04 00:30:00", small.minute(30))


def test_components_can_be_left_out(context):
    found = browse(context, table="trace_span", exclude="IG01, MG01")
    assert {row["cmdb_id"] for row in found} == {"Tomcat01"}


def test_samples_are_put_together_by_minutes(context):
    found = browse(context, table="metric_container", kpi=small.CPU, component="IG01", every=10)
    values = [20.0 + m % 7 for m in range(30, 40)]
    assert len(found) == 3 and float(found[0]["mean"]) == pytest.approx(sum(values) / 10, rel=1e-3)
    assert (found[0]["samples"], float(found[0]["min"]), float(found[0]["max"])) == ("10", min(values), max(values))


def test_a_table_that_is_not_there_is_refused_with_those_that_are(context):
    with pytest.raises(ToolError, match="metric_container"):
        toolbox("openrca_bank", "all")["browse"].function(context, table="x", start_time=0, end_time=1)
