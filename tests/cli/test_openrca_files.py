"""`aiops-gym openrca convert` and `info` on a small data set."""

from __future__ import annotations

import json

import pytest
from toy_telemetry import spans, write

from aiops_gym import cli


@pytest.fixture
def root(tmp_path):
    write(tmp_path / "data", "bank", "trace_span", spans(500))
    write(tmp_path / "data", "market", "log_proxy", [["l", 1614787200, "adservice-0", "n", "GET"]])
    return tmp_path / "data"


def info(root, where, capsys) -> dict:
    assert cli.run(["openrca", "info", str(root), "--cache", str(where), "--json"]) == 0
    return {each["domain"]: each for each in json.loads(capsys.readouterr().out)}


def test_convert_makes_what_is_missing_and_info_tells_of_it(root, tmp_path, capsys):
    where = tmp_path / "cache"
    before = info(root, where, capsys)
    assert before["Bank"]["days"] == ["2021-03-04"]
    assert before["Bank"]["tables"]["trace_span"]["files"] == {"missing": 1}
    assert cli.run(["openrca", "convert", str(root), "--cache", str(where), "--jobs", "2"]) == 0
    assert "2 files converted" in capsys.readouterr().out
    after = info(root, where, capsys)
    assert after["Bank"]["tables"]["trace_span"] == {
        "files": {"ready": 1},
        "bytes": before["Bank"]["tables"]["trace_span"]["bytes"],
        "rows": 500,
        "odd": {},
    }
    assert after["Market-cloudbed-1"]["tables"]["log_proxy"]["rows"] == 1
    assert cli.run(["openrca", "convert", str(root), "--cache", str(where)]) == 0
    assert "2 converted already" in capsys.readouterr().out


def test_convert_goes_on_after_a_broken_file_and_fails_in_the_end(root, tmp_path, capsys):
    path = root / "Bank/telemetry/2021_03_04/trace/trace_span.csv"
    path.write_text(path.read_text() + "half a line")
    assert cli.run(["openrca", "convert", str(root), "--strict", "--cache", str(tmp_path / "cache")]) == 1
    said = capsys.readouterr()
    assert "1 files converted" in said.out and "line 502: 6 fields expected" in said.err
    assert info(root, tmp_path / "cache", capsys)["Market-cloudbed-1"]["tables"]["log_proxy"]["rows"] == 1


def test_a_domain_may_be_chosen(root, tmp_path, capsys):
    assert cli.run(["openrca", "convert", str(root), "--domain", "market", "--cache", str(tmp_path / "cache")]) == 0
    capsys.readouterr()
    assert info(root, tmp_path / "cache", capsys)["Bank"]["tables"]["trace_span"]["files"] == {"missing": 1}


def test_info_says_in_words_what_is_converted(root, tmp_path, capsys):
    where = str(tmp_path / "cache")
    path = root / "Bank/telemetry/2021_03_04/trace/trace_span.csv"
    (root / "Bank/telemetry/2021_03_05").mkdir()
    for change, said in (("", "1 not converted yet, 1 without a file"), ("more", "1 changed since it was converted")):
        path.write_text(path.read_text() + change)
        assert cli.run(["openrca", "info", str(root), "--cache", where]) == 0
        assert said in capsys.readouterr().out
        cli.run(["openrca", "convert", str(root), "--cache", where])
        capsys.readouterr()


def test_labels_without_telemetry_do_not_hide_the_other_domains(root, tmp_path, capsys):
    (root / "Telecom").mkdir()
    (root / "Telecom" / "query.csv").write_text("task_index,instruction,scoring_points\n")
    found = info(root, tmp_path / "cache", capsys)
    assert (found["Telecom"]["days"], found["Bank"]["days"]) == ([], ["2021-03-04"])
    assert cli.run(["openrca", "info", str(root)]) == 0
    assert "Telecom: 0 failures, 0 queries, 0 days\n  no telemetry\n  cache" in capsys.readouterr().out
    assert cli.run(["openrca", "convert", str(root), "--cache", str(tmp_path / "cache")]) == 0
    assert "2 files converted" in capsys.readouterr().out


def test_a_folder_that_is_not_there_is_said_to_be_none(tmp_path, capsys):
    assert cli.run(["openrca", "info", str(tmp_path / "nowhere")]) == 1
    assert "nowhere is no folder" in capsys.readouterr().err


def test_a_folder_without_data_is_refused(tmp_path, capsys):
    for command in ("info", "convert"):
        assert cli.run(["openrca", command, str(tmp_path)]) == 1
        assert "it should hold one of: Bank, Market/cloudbed-1" in capsys.readouterr().err
