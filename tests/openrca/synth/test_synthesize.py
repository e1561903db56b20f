"""What is written: the original's files, whole, and the same for the same arguments."""

import csv
import json
import os
import subprocess
import sys
from hashlib import blake2b
from itertools import islice

import pytest

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import domains, labels, layout, origin
from aiops_gym.openrca.synth import synthesize
from aiops_gym.version import __version__

SMALL = {"days": 1, "scale": 0.001, "seed": 4}


def digest(folder):
    found = blake2b()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        found.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return found.hexdigest()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("made")
    for name in ("bank", "telecom"):
        synthesize(out, name, **SMALL)
    return out


def read(path, most=None):
    with path.open(encoding="utf-8", newline="") as file:
        return list(islice(csv.reader(file), most))


@pytest.mark.parametrize("name", ["bank", "telecom"])
def test_every_file_of_a_day_is_there_with_its_columns_and_values_that_fit_them(made, name):
    domain, _ = domains.find(name)
    folder = layout.domain_folder(domain, "", made)
    (day,) = layout.list_days(folder)
    for table in domain.tables:
        header, *rows = read(layout.table_file(folder, day, table), 3000)
        assert tuple(header) == table.names
        assert len(rows) > 100
        for column, values in zip(table.columns, zip(*rows, strict=True), strict=True):
            if column.kind in ("int", "time"):
                assert all(value.isdigit() for value in values), column
            elif column.kind == "float":
                assert all(float(value) >= -1 for value in values), column


def test_stray_files_lie_between_the_folders_as_in_the_original(made):
    for name in ("Bank", "Telecom"):
        assert len(list((made / name / "telemetry").rglob(".DS_Store"))) == 2


@pytest.mark.parametrize("name", ["bank", "telecom"])
def test_labels_and_questions_belong_together(made, name):
    domain, _ = domains.find(name)
    folder = layout.domain_folder(domain, "", made)
    records, queries = labels.read_records(folder), labels.read_queries(folder)
    assert len(records) == len(queries) > 0
    for record, query in zip(records, queries, strict=True):
        said = (record.component, record.reason, record.datetime)
        assert any(each in query.scoring_points for each in said)


@pytest.mark.full
def test_times_lie_in_the_recorded_hours_but_for_clocks_that_are_wrong(made):
    for name in ("bank", "telecom"):
        domain, _ = domains.find(name)
        folder = layout.domain_folder(domain, "", made)
        (day,) = layout.list_days(folder)
        for table in domain.tables:
            place, unit = table.names.index(table.time), 1000 if table.unit == "ms" else 1
            first = int(labels.read_records(folder)[0].timestamp // 86400 * 86400 - 8 * 3600)
            hours = [
                (int(row[place]) / unit - first) / 3600 % 24
                for row in read(layout.table_file(folder, day, table), 100_000)[1:]
            ]
            late = domain.hours[1] + 0.01
            assert all(hour < late or hour > 23.999 for hour in hours), table.path


def test_names_of_the_bank_keep_their_quotes_and_blanks_at_any_scale(made):
    names = {row[2] for row in read(next(made.rglob("Bank/**/metric_container.csv")))}
    assert any('"http-nio-8003"' in name for name in names)
    assert any("Redis  (" in name for name in names)


@pytest.mark.full
def test_ids_of_the_bank_are_of_its_form_and_unique(made):
    rows = read(next((made / "Bank").rglob("trace_span.csv")))[1:]
    spans, parents = [row[3] for row in rows], {row[2] for row in rows} - {""}
    assert len(set(spans)) == len(spans)
    assert parents <= set(spans)
    assert all(len(row[3]) == 20 and row[3].isdigit() for row in rows if row[1].startswith("docker"))
    assert all(row[4].startswith("gw0120210304") and len(row[4]) == 24 for row in rows)


def test_the_operators_files_have_their_quirks(made):
    folder = made / "Telecom"
    spans = read(next(folder.rglob("trace_span.csv")))[1:]
    assert {row[3] for row in spans} >= {"True", "TRUE"}
    assert {row[6] for row in spans if row[0] == "OSB"} == {"None"}
    assert {row[0] for row in spans} == {"JDBC", "LOCAL", "CSF", "RemoteProcess", "FlyRemote", "OSB"}
    assert all(bool(row[8]) == (row[0] in ("JDBC", "LOCAL")) for row in spans)
    minutes = [row[1] for row in read(next(folder.rglob("metric_app.csv")))[1:]]
    assert len(set(minutes)) == 360 < len(minutes)
    begins = {row[5]: int(row[1]) for row in spans}
    assert any(int(row[1]) < begins[row[6]] for row in spans if row[6] in begins), "clocks differ"


def test_a_row_of_the_bus_that_came_late_belongs_to_the_minute_of_another(made):
    rows = read(next((made / "Telecom").rglob("metric_app.csv")))[1:]
    assert all(int(row[4]) <= int(row[3]) and int(row[3]) >= 1 for row in rows)
    assert all(abs(float(row[5]) - int(row[4]) / int(row[3])) < 1e-3 for row in rows)


def test_files_of_the_bank_are_near_time_order_but_not_sorted(made):
    moments = [int(row[0]) for row in read(next((made / "Bank").rglob("trace_span.csv")))[1:]]
    late = [latest - now for latest, now in zip(_latest(moments), moments, strict=True)]
    assert 0 < max(late) < 30_000


def _latest(values):
    top = 0
    for value in values:
        top = max(top, value)
        yield top


@pytest.mark.parametrize("name", ["bank", "telecom"])
def test_the_same_arguments_write_the_same_bytes_in_any_process(made, tmp_path, name):
    code = f"from aiops_gym.openrca.synth import synthesize; synthesize({str(tmp_path)!r}, {name!r}, **{SMALL!r})"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONHASHSEED": "77"})
    assert digest(made / name.capitalize()) == digest(tmp_path / name.capitalize())


def test_another_seed_is_another_world(made, tmp_path):
    synthesize(tmp_path, "telecom", **{**SMALL, "seed": 5})
    assert (tmp_path / "Telecom" / "record.csv").read_bytes() != (made / "Telecom" / "record.csv").read_bytes()


def test_what_is_there_is_never_written_over(made, tmp_path):
    before = digest(made / "Bank")
    with pytest.raises(CatalogError, match="is there already"):
        synthesize(made, "bank", **SMALL)
    assert digest(made / "Bank") == before


def test_a_broken_attempt_leaves_nothing(tmp_path):
    def stop(done, total, name):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        synthesize(tmp_path, "telecom", progress=stop, **SMALL)
    assert list(tmp_path.iterdir()) == []


def test_progress_names_each_file_and_ends_with_all(tmp_path):
    seen = []
    synthesize(tmp_path, "telecom", progress=lambda *now: seen.append(now), **SMALL)
    assert [done for done, _, _ in seen] == list(range(7))
    assert seen[0] == (0, 6, "2020_04_11/metric/metric_app.csv") and seen[-1] == (6, 6, "")


@pytest.mark.parametrize("name", ["Bank", "Telecom"])
def test_it_says_of_itself_that_it_was_made_up_and_how(made, name):
    assert origin.read_origin(made / name) == "synthetic"
    (day,) = (each for each in (made / name / "telemetry").iterdir() if each.is_dir())
    for place in (made / name, day):
        said = json.loads((place / origin.MARK).read_text())
        assert said == {
            "made_by": f"aiops_gym {__version__}",
            "system": name,
            "failures": "drawn",
            "days": 1,
            "scale": 0.001,
            "seed": 4,
            "profile": "hard",
        }


def test_given_records_are_played_and_their_questions_kept(made, tmp_path):
    given = made / "Telecom"
    synthesize(tmp_path, "telecom", scale=0.001, seed=9, records=given / "record.csv")
    for name in ("record.csv", "query.csv"):
        assert (tmp_path / "Telecom" / name).read_bytes() == (given / name).read_bytes()
    assert layout.list_days(tmp_path / "Telecom") == layout.list_days(given)
    assert origin.read_origin(tmp_path / "Telecom") == "synthetic"
    assert "those of a record.csv" in (tmp_path / "Telecom" / origin.MARK).read_text()


def test_wrong_arguments_are_explained(tmp_path):
    for wrong, what in (({"scale": 0.0}, "scale"), ({"scale": 1.5}, "scale"), ({"days": 0}, "one day")):
        with pytest.raises(CatalogError, match=what):
            synthesize(tmp_path, "bank", **{**SMALL, **wrong})
    with pytest.raises(CatalogError, match="no domain"):
        synthesize(tmp_path, "harbour", **SMALL)
    with pytest.raises(CatalogError, match="is not there"):
        synthesize(tmp_path, "bank", records=tmp_path / "record.csv")
    assert list(tmp_path.iterdir()) == []
