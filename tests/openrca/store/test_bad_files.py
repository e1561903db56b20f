"""What is strict refuses a CSV file that is not what its table says by file and line; harmless oddities it does not."""

from __future__ import annotations

import pytest
from toy_telemetry import DAY, START, folder, spans, table, write

from aiops_gym.errors import CatalogError
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.frame import read_frame
from aiops_gym.openrca.recording import Recording
from aiops_gym.openrca.store import csvfile

SECONDS = START // 1000
LINES = [[f"l{place}", SECONDS + place, "Tomcat01", "gc", f"line {place}"] for place in range(50)]


def rows_of(root, name, **asked):
    recording = Recording(find("bank")[0], folder(root, "bank"), cache=root / "cache", strict=True)
    return recording.rows(table("bank", name), None, None, **asked)


def refused(root, path) -> str:
    """What is said of a file; nothing of it may stay in the cache."""
    with pytest.raises(CatalogError) as caught:
        rows_of(root, path.stem)
    assert str(path) in str(caught.value)
    assert [each.name for each in (root / "cache").rglob("*") if each.is_file()] == ["lock"]
    return str(caught.value)


@pytest.mark.parametrize("block", [1 << 10, csvfile.BLOCK])
def test_a_file_cut_within_a_line_is_refused(tmp_path, monkeypatch, block):
    monkeypatch.setattr(csvfile, "BLOCK", block)
    path = write(tmp_path, "bank", "trace_span", spans(300))
    path.write_text(path.read_text()[:-20])
    assert "line 301: 6 fields expected" in refused(tmp_path, path)


def test_a_file_cut_within_quotes_is_refused(tmp_path):
    path = write(tmp_path, "bank", "log_service", [*LINES, ["l50", SECONDS, "a", "gc", 'two\n"quoted"\nlines']])
    path.write_text(path.read_text()[:-6])
    assert "line 52: the file ends inside quotes" in refused(tmp_path, path)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (["when", "a", "p", "s", "t", 1], "line 102: timestamp is a whole number (Unix ms), not 'when'"),
        (["1e20", "a", "p", "s", "t", 1], "line 102: timestamp is a whole number (Unix ms), not '1e20'"),
        ([10**17, "a", "p", "s", "t", 1], "line 102: timestamp is a whole number (Unix ms), not '100000000000000000'"),
        ([START, "a", "p", "s", "t", 1.5], "line 102: duration is a whole number, not '1.5'"),
        ([START, "a", "p", "s", "t", ""], "line 102: duration is a whole number, not ''"),
        ([START, "a", "p", "s", "t"], "line 102: 6 fields expected"),
        ([START, "a", "p", "s", "t", 1, 2], "line 102: 6 fields expected"),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path, row, said):
    assert said in refused(tmp_path, write(tmp_path, "bank", "trace_span", [*spans(100), row, *spans(50)]))


def test_a_bad_value_of_a_measurement_is_named_by_its_line(tmp_path):
    rows = [[SECONDS + place, "Tomcat01", 'a "quoted"\nname', place / 7] for place in range(20)]
    path = write(tmp_path, "bank", "metric_container", [*rows, [SECONDS, "Tomcat01", "k", "12 %"]])
    assert "line 42: value is a number, not '12 %'" in refused(tmp_path, path)


def test_text_that_is_not_utf8_is_named_by_its_line(tmp_path):
    path = write(tmp_path, "bank", "log_service", LINES)
    path.write_bytes(path.read_bytes().replace(b"line 30", b"\xff\xfe 30"))
    assert "line 32: value is text in UTF-8" in refused(tmp_path, path)


@pytest.mark.parametrize(
    "header",
    [
        "timestamp,cmdb_id,parent_id,span_id,trace_id",
        "timestamp,cmdb_id,parent,span_id,trace_id,duration",
        "timestamp,cmdb_id,parent_id,span_id,trace_id,duration,extra",
        "",
    ],
)
def test_wrong_columns_are_refused_with_those_expected(tmp_path, header):
    path = write(tmp_path, "bank", "trace_span", spans(10))
    path.write_text(path.read_text().replace("timestamp,cmdb_id,parent_id,span_id,trace_id,duration", header))
    assert "line 1: the columns timestamp,cmdb_id,parent_id,span_id,trace_id,duration" in refused(tmp_path, path)


def test_an_empty_file_is_refused(tmp_path):
    path = write(tmp_path, "bank", "trace_span", [])
    path.write_text("")
    assert "are expected, but the file is empty" in refused(tmp_path, path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    write(tmp_path, "bank", "trace_span", spans(10))
    with pytest.raises(CatalogError, match=r"log_service\.csv cannot be read"):
        rows_of(tmp_path, "log_service")


def test_a_day_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    write(tmp_path, "bank", "trace_span", spans(10))
    with pytest.raises(CatalogError, match="2021-03-05; there are: 2021-03-04"):
        Recording(find("bank")[0], folder(tmp_path, "bank"), [DAY.replace(day=5)])


@pytest.mark.parametrize("text", ["{header}", "{header}\n", "{header}\r\n\r\n"])
def test_a_file_without_rows_has_no_rows(tmp_path, text):
    path = write(tmp_path, "bank", "trace_span", [])
    path.write_text(text.format(header=path.read_text().strip()))
    found = rows_of(tmp_path, "trace_span")
    assert (found.count, found.head(3), found.times().tolist(), len(read_frame(found))) == (0, [], [], 0)
    assert list(read_frame(found).columns) == list(table("bank", "trace_span").names)


def test_line_ends_may_be_mixed_and_the_last_one_missing(tmp_path):
    rows = [["l1", SECONDS, "a", "gc", "one"], ["l2", SECONDS, "a", "gc", 'tw"o'], ["l3", SECONDS, "a,b", "gc", "x\ny"]]
    path = write(tmp_path, "bank", "log_service", [])
    text = f'l1,{SECONDS},a,gc,one\r\nl2,{SECONDS},a,gc,"tw""o"\n\n\rl3,{SECONDS},"a,b",gc,"x\ny"'
    path.write_bytes(b"\xef\xbb\xbf" + (path.read_text().strip() + "\r" + text).encode())
    assert rows_of(tmp_path, "log_service").head(9) == [tuple(row) for row in rows]


def test_columns_may_stand_in_another_order(tmp_path):
    path = write(tmp_path, "bank", "metric_container", [])
    path.write_text(f"value,kpi_name,cmdb_id,timestamp\n1.5,k,a,{SECONDS}\n,k,b,{SECONDS}\n")
    first, second = rows_of(tmp_path, "metric_container").head(9)
    assert first == (SECONDS, "a", "k", 1.5)
    assert second[:3] == (SECONDS, "b", "k") and second[3] != second[3]


def test_quotes_within_a_field_do_not_make_a_file_look_cut(tmp_path):
    path = write(tmp_path, "bank", "log_service", LINES)
    path.write_text(path.read_text().replace("line 30", 'line "30'))
    assert rows_of(tmp_path, "log_service", contains='"').head(2)[0][4] == 'line "30'
