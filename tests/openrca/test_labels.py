"""Label files are read and written as the original has them, and a broken line is named."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import domains
from aiops_gym.openrca.labels import Query, Record, read_queries, read_records, write_queries, write_records

BANK = Record("pod", "Redis02", 1614852540, "high memory usage")
LINES = {
    "bank": (
        BANK,
        "level,component,timestamp,datetime,reason\n",
        "pod,Redis02,1614852540.0,2021-03-04 18:09:00,high memory usage\n",
    ),
    "market": (
        Record("pod", "shippingservice-1", 1647738546, "container read I/O load"),
        "timestamp,level,component,reason,datetime\n",
        "1647738546,pod,shippingservice-1,container read I/O load,2022-03-20 09:09:06\n",
    ),
    "telecom": (
        Record("service", "db_003", 1586555100, "db close"),
        "level,reason,component,timestamp,datetime\n",
        "service,db close,db_003,1586555100,2020-04-11 05:45:00\n",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_each_domain_has_its_own_form_of_records(tmp_path, name):
    record, header, line = LINES[name]
    write_records(tmp_path / "new", domains.find(name)[0], [record, record])
    assert (tmp_path / "new" / "record.csv").read_bytes() == (header + line + line).encode()
    assert read_records(tmp_path / "new") == (record, record)


def test_a_question_keeps_its_lines(tmp_path):
    query = Query("task_3", "What failed?", "The only predicted root cause component is a\n")
    write_queries(tmp_path, [query])
    assert (tmp_path / "query.csv").read_bytes() == (
        b'task_index,instruction,scoring_points\ntask_3,What failed?,"The only predicted root cause component is a\n"\n'
    )
    assert read_queries(tmp_path) == (query,)


TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.just("\n"), max_size=20)


@settings(deadline=None)
@given(st.lists(st.builds(Query, TEXTS, TEXTS, TEXTS), max_size=4))
def test_questions_survive_their_file(tmp_path_factory, queries):
    folder = tmp_path_factory.mktemp("labels")
    write_queries(folder, queries)
    assert read_queries(folder) == tuple(queries)


@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_marks_and_more_columns_do_not_matter(tmp_path, start, end):
    lines = [
        "level,component,timestamp,datetime,reason,description",
        "pod,Redis02,1614852540,x,high memory usage,y",
        "",
    ]
    (tmp_path / "record.csv").write_text(start + end.join(lines), encoding="utf-8", newline="")
    assert read_records(tmp_path) == (BANK,)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no column level, component, timestamp, reason"),
        ("level,component,reason\n", "no column timestamp"),
        ("level,component,timestamp,reason\npod,a,5,b\npod,a,b\n", "line 3: 4 fields expected"),
        ("level,component,timestamp,reason\npod,a,5,b,c\n", "line 2: 4 fields expected"),
        ("level,component,timestamp,reason\npod,a,noon,b\n", "line 2: 'noon' is no time in Unix seconds"),
        ("level,component,timestamp,reason\npod,a,nan,b\n", "line 2: 'nan'"),
        ("level,component,timestamp,reason\npod,a,inf,b\n", "line 2: 'inf'"),
    ],
)
def test_a_broken_file_of_records_says_where(tmp_path, text, says):
    (tmp_path / "record.csv").write_text(text)
    with pytest.raises(CatalogError, match=rf"record\.csv.*{says}"):
        read_records(tmp_path)


def test_a_file_that_is_missing_or_no_text_is_named(tmp_path):
    with pytest.raises(CatalogError, match=r"query\.csv is not there"):
        read_queries(tmp_path)
    (tmp_path / "query.csv").write_bytes(b"task_index,instruction,scoring_points\n\xff,a,b\n")
    with pytest.raises(CatalogError, match=r"query\.csv cannot be read"):
        read_queries(tmp_path)


def test_writing_that_fails_leaves_what_was_there(tmp_path):
    def broken():
        yield Query("task_1", "When?", "x")
        raise OSError("no space left on device")

    write_queries(tmp_path, [Query("task_2", "Why?", "y")])
    with pytest.raises(OSError, match="no space"):
        write_queries(tmp_path, broken())
    assert [path.name for path in tmp_path.iterdir()] == ["query.csv"]
    assert read_queries(tmp_path) == (Query("task_2", "Why?", "y"),)


def test_a_record_knows_its_half_hour_and_its_local_time():
    assert BANK.datetime == "2021-03-04 18:09:00"
    assert Record("pod", "a", 1614852000, "b").bucket == BANK.bucket == Record("pod", "a", 1614853799, "b").bucket
    assert Record("pod", "a", 1614851999, "b").bucket == BANK.bucket - 1
