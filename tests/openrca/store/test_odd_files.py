"""What can be read of a flawed file is what pandas reads of it, and everything else is counted."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_telemetry import DAY, START, folder, spans, table, write

from aiops_gym import cli
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.frame import read_frame
from aiops_gym.openrca.recording import Recording
from aiops_gym.openrca.store import csvfile, shelf

SPANS, APP = table("bank", "trace_span"), table("bank", "metric_app")
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None

CELLS = {
    "time": st.sampled_from(["{}.0", "{}.5", "", "when", "{}e0", " {}", "1e30", "-"]),
    "int": st.sampled_from(["1.5", "", "7.0", "x", "1e3", " 4 ", "nan", "1_0", "null"]),
    "float": st.sampled_from(["", "12 %", "inf", "1e-3", "nan", " 2.5", "1,5"]),
}
"""Odd cells by the kind of their column; braces are what would have stood there."""


def recording(root: Path, **named) -> Recording:
    return Recording(find("bank")[0], folder(root, "bank"), cache=root / "cache", **named)


@st.composite
def flawed(draw, known):
    """Header and rows of a file with oddities, as cells; how its text is made of them; bytes that are not UTF-8."""
    header, seconds = list(known.names), known.unit == "s"
    rows = []
    for place in range(draw(st.integers(1, 12))):
        moment = START + 1000 * place
        value = {"time": moment // 1000 if seconds else moment, "code": f"c{place % 3}", "text": f"t {place}"}
        row = [str(value.get(column.kind, place)) for column in known.columns]
        for at, column in enumerate(known.columns):
            if column.kind in CELLS and draw(st.integers(0, 5)) == 0:
                row[at] = draw(CELLS[column.kind]).format(row[at])
        rows.append(row)
    if draw(st.booleans()):
        at = draw(st.integers(0, len(header)))
        name = draw(st.sampled_from(["", "Unnamed: 0", "note"]))
        header, rows = [*header[:at], name, *header[at:]], [[*row[:at], "9", *row[at:]] for row in rows]
    for place in draw(st.lists(st.integers(0, len(rows)), max_size=2)):
        rows.insert(place, list(header))
    for place in draw(st.lists(st.integers(0, len(rows) - 1), max_size=2)):
        rows[place] = rows[place][: draw(st.integers(1, len(header) - 1))]
    return [header, *rows]


def as_pandas(text: str, known) -> tuple[pd.DataFrame, int]:
    """The rows that have a time, all cells as text, and how many have none."""
    frame = pd.read_csv(
        io.StringIO(text), dtype=str, keep_default_na=False, na_filter=True, na_values=[], index_col=False
    )
    frame = frame[list(known.names)].fillna("")
    moment = pd.to_numeric(frame[known.time].where(frame[known.time].map(is_number)), errors="coerce")
    there = moment.abs() < 10**14 / (1000 if known.unit == "s" else 1)
    frame[known.time] = np.floor(moment)
    return frame[there], int((~there).sum())


def is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"\s*[+-]?([0-9.]+(e[+-]?[0-9]+)?|inf|nan)\s*", cell))


def number(cell: str) -> float:
    return float(cell) if is_number(cell) else math.nan


@pytest.mark.parametrize("known", [SPANS, APP], ids=lambda known: known.name)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_can_be_read_is_what_pandas_reads_and_the_rest_is_counted(known, packed, data):
    lines = data.draw(flawed(known))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    with tempfile.TemporaryDirectory(dir=MEMORY) as place:
        path = write(Path(place), "bank", known.name, [])
        if packed:
            path.unlink()
            path = path.with_name(f"{path.name}.gz")
        path.write_bytes(gzip.compress(text.getvalue().encode()) if packed else text.getvalue().encode())
        read = recording(Path(place))
        rows = read.rows(known)
        found, said = read_frame(rows), read.oddities(known)
        counts = shelf.open_store(path, known, read.cache).meta.odd
        shelf.forget()
    wanted, without = as_pandas(text.getvalue(), known)
    keys = list(known.names)
    left = sorted(map(tuple, plain(found, known)), key=repr)
    assert left == sorted(map(tuple, plain(wanted, known)), key=repr)
    lost = sum(
        count for what, (count, _) in counts.items() if what.startswith("row: the header") or "row left out" in what
    )
    assert lost == without
    for column in known.columns:
        if column.kind == "int":
            cells = wanted[column.name].tolist()
            empty = sum(cell.strip() in csvfile.NO_NUMBER for cell in cells)
            assert counts.get(f"{column.name}: empty", (0,))[0] == empty
            assert counts.get(f"{column.name}: no number", (0,))[0] == sum(
                not is_number(c) for c in cells
            ) - empty + sum(c.strip() == "nan" for c in cells)
    short = sum(len(line) < len(lines[0]) for line in lines)
    assert counts.get("row: fewer fields than columns", (0,))[0] == short
    assert bool(said) == bool(counts) and keys == list(found.columns)


def plain(frame: pd.DataFrame, known) -> list[list[object]]:
    made = []
    for column in known.columns:
        cells = frame[column.name].tolist()
        if column.kind in ("code", "text"):
            made.append(cells)
        else:
            numbers = [number(each) if isinstance(each, str) else float(each) for each in cells]
            made.append(["none" if math.isnan(each) else each for each in numbers])
    return [list(row) for row in zip(*made, strict=True)]


def test_only_the_integers_that_are_odd_become_floats(tmp_path):
    write(tmp_path, "bank", "trace_span", [*spans(9), [START, "a", "p", "s", "t"]])
    assert str(read_frame(recording(tmp_path).rows(SPANS))["duration"].dtype) == "float64"
    path = write(tmp_path, "bank", "trace_span", [*spans(9), [START, "a", "p", "s", "t", 5, 6]])
    found = recording(tmp_path)
    assert found.rows(SPANS).count == 9 and str(read_frame(found.rows(SPANS))["duration"].dtype) == "int64"
    assert found.oddities(SPANS)[DAY] == [
        f"1 x row: more fields than columns, left out, such as '{START},a,p,s,t,5,6'",
    ]
    assert path.is_file()


def test_letters_that_are_not_utf8_are_marked_and_counted(tmp_path):
    path = write(tmp_path, "bank", "trace_span", spans(50))
    path.write_bytes(path.read_bytes().replace(b"p30", b"p\xff\xfe30"))
    found = recording(tmp_path)
    assert found.rows(SPANS).texts("parent_id")[30] == "p\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}30"
    assert found.oddities(SPANS)[DAY] == ["2 x file: letters that are not UTF-8"]


def test_a_packed_file_that_was_cut_gives_what_is_left_of_it(tmp_path):
    path = write(tmp_path, "bank", "trace_span", spans(20_000))
    whole = gzip.compress(path.read_bytes())
    path.with_name(f"{path.name}.gz").write_bytes(whole[: len(whole) // 2])
    path.unlink()
    found = recording(tmp_path)
    assert found.rows(SPANS).count > 5_000
    assert any("the end of its packed text is missing" in each for each in found.oddities(SPANS)[DAY])


@pytest.mark.parametrize("text", ["", "no,columns\n1,2\n", "\x00\x01\x02"])
def test_a_file_that_is_none_has_no_rows_and_is_counted(tmp_path, text):
    write(tmp_path, "bank", "trace_span", []).write_text(text)
    found = recording(tmp_path)
    assert found.rows(SPANS).count == 0
    assert "1 x column timestamp: not there" in found.oddities(SPANS)[DAY]


def test_a_missing_file_has_no_rows_and_is_said(tmp_path):
    write(tmp_path, "bank", "trace_span", spans(3))
    found = recording(tmp_path)
    assert (found.rows(APP).count, found.oddities(APP)) == (0, {DAY: ["the file is not there"]})


def test_a_column_that_is_missing_is_empty(tmp_path):
    path = write(tmp_path, "bank", "trace_span", [])
    path.write_text(f"timestamp,cmdb_id,span_id\n{START},a,s\n")
    (row,) = recording(tmp_path).rows(SPANS).head(2)
    assert row[:5] == (START, "a", "", "s", "") and math.isnan(row[5])


def test_info_lists_what_was_odd_and_strict_conversion_names_the_line(tmp_path, capsys):
    write(tmp_path / "data", "bank", "trace_span", [*spans(20), [START, "a", "p", "s", "t", "x"]])
    root, where = str(tmp_path / "data"), str(tmp_path / "cache")
    assert cli.run(["openrca", "convert", root, "--strict", "--cache", where]) == 1
    assert "line 22: duration is a whole number, not 'x'" in capsys.readouterr().err
    assert cli.run(["openrca", "convert", root, "--cache", where]) == 0
    assert cli.run(["openrca", "info", root, "--cache", where]) == 0
    assert "2021-03-04: 1 x duration: no number, such as 'x'" in capsys.readouterr().out
