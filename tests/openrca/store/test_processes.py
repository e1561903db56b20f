"""A recording can be used before and after processes part, and it loads no more than it needs."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys

import pytest
from toy_telemetry import START, folder, spans, table, write

from aiops_gym.openrca.domains import find
from aiops_gym.openrca.recording import Recording

SPANS = table("bank", "trace_span")


def answer(recording: Recording, answers) -> None:
    rows = recording.rows(SPANS, START + 1000, START + 300_000, component="Tomcat02")
    answers.put((rows.count, rows.head(2), rows.tail(2), int(rows.numbers("duration").sum())))


def ask(recording: Recording):
    class Answers(list):
        put = list.append

    answers = Answers()
    answer(recording, answers)
    return answers[0]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("used", ["never", "converted", "read"])
def test_children_answer_like_their_parent(tmp_path, method, used):
    write(tmp_path, "bank", "trace_span", spans(20_000))
    recording = Recording(find("bank")[0], folder(tmp_path, "bank"), cache=tmp_path / "cache")
    if used != "never":
        recording.rows(SPANS, None, None)
    if used == "read":
        ask(recording)
    context = multiprocessing.get_context(method)
    answers = context.Queue()
    children = [context.Process(target=answer, args=(recording, answers)) for _ in range(3)]
    for child in children:
        child.start()
    found = [answers.get(timeout=600) for _ in children]
    for child in children:
        child.join(60)
    assert found == [ask(recording)] * 3


LOADED = """
import sys
from pathlib import Path
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.recording import Recording
domain = find("bank")[0]
table = next(each for each in domain.tables if each.name == "trace_span")
rows = Recording(domain, Path(sys.argv[1]), cache=sys.argv[2]).rows(table, None, None, component="Tomcat02")
numbers = rows.codes("cmdb_id"), rows.numbers("duration"), rows.times()
print(*(name for name in ("pandas", "pyarrow") if name in sys.modules))
rows.head(3)
print(*(name for name in ("pandas", "pyarrow", "pyarrow.csv", "pyarrow.compute") if name in sys.modules))
"""


def test_a_question_loads_neither_pandas_nor_a_reader_of_csv(tmp_path):
    write(tmp_path, "bank", "trace_span", spans(100))
    arguments = [sys.executable, "-c", LOADED, folder(tmp_path, "bank"), tmp_path / "cache"]
    converting = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split("\n")
    asking = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split("\n")
    assert "pandas" not in " ".join(converting)
    assert asking[:2] == ["", "pyarrow"]
