"""What the tools of recorded telemetry print, leave out and refuse."""

from __future__ import annotations

import csv
import io
import re

import pytest
import small_telemetry as small
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.errors import BackendError, ToolError
from aiops_gym.openrca import clock
from aiops_gym.openrca.domains import find, list_domains
from aiops_gym.openrca.layout import table_file
from aiops_gym.openrca.recording import Recording
from aiops_gym.tools.recorded import page, toolbox
from aiops_gym.tools.recorded import tables as recorded_tables
from aiops_gym.tools.registry import Context, run
from aiops_gym.types import Call

START, END = "2021-03-04 01:00", "2021-03-04 01:30"


class Reader:
    """A backend with nothing but telemetry and a clock."""

    def __init__(self, recording, began=60 * 90):
        self.recording = recording
        self.began = small.minute(0) + began
        self.spent = 0.0

    def spend(self, seconds):
        self.spent += seconds


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return Reader(small.bank(tmp_path_factory.mktemp("bank")))


@pytest.fixture
def call(reader):
    tools = toolbox(small.BANK)
    return lambda name, *args, **kwargs: run(Call(name, args, kwargs), tools, Context(reader)).text


def rows(text):
    """A printed table."""
    return list(csv.DictReader(io.StringIO("\n".join(line for line in text.splitlines() if line[:2] != "# "))))


def notes(text):
    return [line[2:] for line in text.splitlines() if line[:2] == "# "]


def recorded(reader, method):
    """The rows of a file in its own text, by time."""
    table = small.BANK.table(method)
    with table_file(reader.recording.folder, clock.parse_day(small.DAY), table).open() as file:
        lines = list(csv.DictReader(file))
    return sorted(lines, key=lambda row: int(row[table.time]))


@pytest.mark.parametrize(
    ("domain", "metrics", "logs"),
    [
        ("bank", ("app", "container"), True),
        ("market", ("container", "mesh", "node", "runtime", "service"), True),
        ("telecom", ("app", "container", "middleware", "node", "service"), False),
    ],
)
def test_a_domain_has_the_tools_of_its_own_files(domain, metrics, logs):
    tools = toolbox(find(domain)[0])
    expected = {f"get_metric_{name}" for name in metrics} | {
        "get_traces",
        "list_components",
        "list_kpis",
        "browse",
        "submit",
    }
    expected |= {"largest_deviations", "slowest_spans"} | ({"get_logs", "log_templates"} if logs else set())
    assert set(tools) == expected


@pytest.mark.parametrize("domain", list_domains())
def test_every_tool_has_a_manual_that_names_its_arguments_and_columns(domain):
    of = find(domain)[0]
    for name, tool in toolbox(of).items():
        assert tool.name == name
        assert tool.manual.splitlines()[1].endswith(".")
        assert all(f"    {argument}: " in tool.manual for argument in tool.types)
        assert all(f"{column} (" in tool.manual for table in of.methods.get(name, ()) for column in table.names)


def test_only_tables_with_a_kpi_take_one_and_only_several_logs_take_a_source():
    bank, market = toolbox(small.BANK), toolbox(find("market")[0])
    assert "kpi" not in bank["get_metric_app"].types
    assert "kpi" in bank["get_metric_container"].types
    assert "source" not in bank["get_logs"].types
    assert market["get_logs"].usage.endswith("source: str = 'service')")


@pytest.mark.parametrize("method", list(small.BANK.methods))
def test_few_rows_are_printed_as_the_file_has_them(call, reader, method):
    table = small.BANK.table(method)
    start, end = small.minute(60), small.minute(61)
    kept = [
        row
        for row in recorded(reader, method)
        if start <= int(row[table.time]) / (1000 if table.unit == "ms" else 1) <= end
    ]
    printed = rows(call(method, start, end))
    assert sorted(printed, key=str) == sorted(kept, key=str)
    assert [row[table.time] for row in printed] == [row[table.time] for row in kept]


def test_of_many_rows_the_first_and_the_last_are_printed_and_the_others_counted(call, reader):
    text = call("get_traces", "2021-03-04", "2021-03-04 02:00")
    printed, all_rows = rows(text), recorded(reader, "get_traces")
    [left_out] = [note for note in notes(text) if "left out here" in note]
    count = int(left_out.split()[0].replace(",", ""))
    assert len(text) <= page.BUDGET
    assert len(text) > page.BUDGET - 2 * page.RESERVE
    assert len(printed) + count == len(all_rows) == 1080
    at = text[: text.index(left_out)].count("\n") - sum(note in text[: text.index(left_out)] for note in notes(text))
    assert printed[: at // 2] == all_rows[: at // 2]
    assert printed[-50:] == all_rows[-50:]
    assert "component=, trace_id=, a shorter window" in left_out


def test_many_spans_are_summed_up_by_component(call):
    lines = notes(call("get_traces", START, END))
    assert lines[0].startswith("271 spans; durations in milliseconds")
    assert lines[1] == "component,count,mean,p50,p95"
    assert [line.split(",")[:2] for line in lines[2:5]] == [["IG01", "91"], ["MG01", "90"], ["Tomcat01", "90"]]


def test_a_limit_prints_the_first_rows(call, reader):
    text = call("get_traces", START, END, component="MG01", limit=2)
    first = [row for row in recorded(reader, "get_traces") if row["cmdb_id"] == "MG01"]
    first = [row for row in first if int(row["timestamp"]) >= 1000 * small.minute(60)][:2]
    assert rows(text) == first
    assert notes(text)[-1].startswith("88 of 90 rows left out.")


def test_filters_keep_what_they_name(call, reader):
    assert {row["kpi_name"] for row in rows(call("get_metric_container", START, END, kpi=small.CPU))} == {small.CPU}
    trace = recorded(reader, "get_traces")[600]["trace_id"]
    assert len(rows(call("get_traces", "2021-03-04", "2021-03-05", trace_id=trace))) == 3
    full = rows(call("get_logs", START, "2021-03-04 01:40", contains="Full GC"))
    assert len(full) == 27
    assert {row["log_name"] for row in full} == {"gc"}
    assert rows(call("get_logs", START, "2021-03-04 01:40", log_name="gc")) == full


def test_times_are_understood_in_every_way_that_people_write_them(call):
    expected = call("get_metric_app", START, END)
    for start, end in (
        (small.minute(60), small.minute(90)),
        (1000 * small.minute(60), 1000 * small.minute(90)),
        ("2021-03-04T01:00:00", "2021-03-04T01:30:00+08:00"),
    ):
        assert call("get_metric_app", start, end) == expected


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("get_traces", {"start_time": "noon"}, "start_time: 'noon' is no time"),
        ("get_traces", {"start_time": "0001-01-01"}, "start_time: '0001-01-01' is before 1970"),
        ("get_traces", {"end_time": "9999-12-31 24:00"}, "end_time: '9999-12-31 24:00' is no time"),
        ("get_traces", {"start_time": END, "end_time": START}, "is after end_time 2021-03-04 01:00:00. Exchange"),
        ("get_traces", {"start_time": "2021-03-06", "end_time": "2021-03-07"}, "Recorded are, in UTC+8: 2021-03-04"),
        (
            "get_traces",
            {"start_time": "2021-03-06", "end_time": None},
            "nothing is recorded from 2021-03-06 00:00:00 (",
        ),
        ("get_traces", {"start_time": None, "end_time": "2021-03-03"}, "nothing is recorded to 2021-03-03 00:00:00 ("),
        ("largest_deviations", {"end_time": "2021-03-04 09:00"}, "at most 3 hours"),
        ("get_traces", {"component": "tomcat1"}, "no component 'tomcat1' here. Did you mean: Tomcat01?"),
        ("get_traces", {"component": "zzz"}, "There are: IG01, MG01, Tomcat01."),
        ("get_metric_container", {"kpi": "CPUUserTim"}, f"Did you mean: {small.CPU}?"),
        ("get_logs", {"log_name": "gcc"}, "nothing is named 'gcc' here"),
        ("get_traces", {"limit": 0}, "limit must be a whole number from 1 to 10,000, not 0"),
        ("largest_deviations", {"hours": 13}, "hours must be a whole number from 1 to 12"),
        ("largest_deviations", {"kpi": "temperature"}, "nothing is named 'temperature' here"),
        ("largest_deviations", {"component": "Tomcat1"}, "Did you mean: Tomcat01?"),
        ("slowest_spans", {"by": "operation"}, "by must be one of: component, call, own; not 'operation'"),
        ("slowest_spans", {"component": "MG1"}, "Did you mean: MG01"),
        ("log_templates", {"component": "MG1"}, "no component 'MG1' here"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_would(call, name, given, says):
    with pytest.raises(ToolError) as refusal:
        call(name, **{"start_time": START, "end_time": END, **given})
    assert refusal.value.code == "arguments"
    assert says in str(refusal.value)


@pytest.mark.parametrize("method", list(small.BANK.methods))
def test_a_getter_without_times_looks_at_all_that_is_recorded(call, reader, method):
    count = len(recorded(reader, method))
    text = call(method)
    [left_out] = [note for note in notes(text) if "left out" in note] or ["0 of"]
    assert text == call(method, None, None) == call(method, "2021-03-04", "2021-03-05")
    assert len(rows(text)) + int(left_out.split()[0].replace(",", "")) == count
    half = [call(method, limit=1, **given) for given in ({"end_time": END}, {"start_time": START})]
    first = recorded(reader, method)[0]
    assert rows(half[0]) == [first]
    assert int(rows(half[1])[0][small.BANK.table(method).time][:10]) == small.minute(60)


def test_more_rows_than_are_read_at_once_are_refused_with_their_count_and_the_way_out(call, monkeypatch):
    monkeypatch.setattr(recorded_tables, "LARGEST", 700)
    with pytest.raises(
        ToolError, match=r"1,080 rows lie in this window, and at most 700 are read at once: narrow by a"
    ):
        call("get_traces", component="MG01")
    with pytest.raises(ToolError, match=r"720 rows lie .* narrow by component=, kpi=, a shorter window \(start"):
        call("get_metric_container")
    assert len(rows(call("get_metric_container", component="MG01", limit=3))) == 3
    assert "271 spans" in call("get_traces", START, END)


def test_lists_refuse_names_that_are_not_there(call):
    with pytest.raises(ToolError, match="Did you mean: Tomcat01"):
        call("list_kpis", component="tomcat1")
    with pytest.raises(ToolError, match="nothing is named 'heat'"):
        call("list_kpis", contains="heat")


def test_a_component_without_rows_is_no_mistake(call):
    text = call("get_logs", "2021-03-04 00:10", "2021-03-04 00:20", component="IG01")
    assert notes(text) == ["No rows: nothing was recorded that fits."]
    assert rows(text) == []


def test_lists_say_what_there_is(call):
    assert [(row["component"], row["tables"]) for row in rows(call("list_components"))] == [
        ("IG01", "metric_container trace_span log_service"),
        ("MG01", "metric_container trace_span"),
        ("ServiceTest1", "metric_app"),
        ("Tomcat01", "metric_container trace_span log_service"),
    ]
    kpis = rows(call("list_kpis"))
    assert [row["kpi"] for row in kpis] == ["cnt", "mrt", "rr", "sr", small.CPU, small.WAITS]
    assert {row["components"] for row in kpis[4:]} == {"3"}
    assert [row["kpi"] for row in rows(call("list_kpis", "Tomcat01", contains="cpu"))] == [small.CPU]


def test_the_largest_deviations_come_first_with_local_times(call):
    text = call("largest_deviations", START, END)
    first, second = rows(text)[:2]
    assert first == {
        "component": "MG01",
        "kpi": small.WAITS,
        "direction": "up",
        "z": "200",
        "first": "2021-03-04 01:20:00",
        "samples": "4",
        "before": "0",
        "during": "4",
    }
    assert (second["component"], second["kpi"], second["first"]) == ("Tomcat01", small.CPU, "2021-03-04 01:12:00")
    assert notes(text)[0].startswith("10 series compared with 2021-03-04 00:00:00 to 2021-03-04 00:59:59 (UTC+8); ")


def test_a_window_that_begins_before_the_recording_is_compared_with_what_follows_it(call):
    text = call("largest_deviations", "2021-03-03 23:50", "2021-03-04 00:10", hours=1)
    assert notes(text)[0].startswith("10 series compared with 2021-03-04 00:11:00 to 2021-03-04 01:10:59")
    assert notes(text)[1:] == []


def test_the_slowest_spans_tell_the_minute_and_failures_only_where_they_are_recorded(call):
    best = rows(call("slowest_spans", START, END))[0]
    assert best["component"] in ("IG01", "Tomcat01")
    assert best["first"] == "2021-03-04 01:20:00"
    assert "errors" not in best
    best = rows(call("slowest_spans", START, END, by="call"))[0]
    assert (best["caller"], best["called"]) == ("Tomcat01", "MG01")


def test_templates_tell_what_is_new(call):
    best, other = rows(call("log_templates", START, "2021-03-04 01:40"))
    assert best["template"] == "[Full GC, <*> K, <*> secs]"
    assert (best["count"], best["before"], best["first"]) == ("27", "0", "2021-03-04 01:30:00")
    assert (other["z"], other["first"]) == ("", "")


def test_telemetry_costs_time_even_when_the_question_is_wrong(reader, call):
    spent = reader.spent
    call("list_components")
    with pytest.raises(ToolError):
        call("get_traces", END, START)
    assert reader.spent - spent == pytest.approx(0.6)


def test_the_same_question_gets_the_same_text_from_another_cache(reader, tmp_path):
    tools = toolbox(small.BANK)
    other = Reader(Recording(small.BANK, reader.recording.folder, cache=tmp_path))
    for name, tool in tools.items():
        if name != "submit":
            asked = Call(name, (START, END) if tool.required else ())
            assert run(asked, tools, Context(other)) == run(asked, tools, Context(reader))


def test_a_file_that_is_missing_is_left_out_of_the_lists_and_has_no_rows(tmp_path):
    recording = small.bank(tmp_path)
    for name in ("get_logs", "get_metric_app"):
        table_file(recording.folder, recording.days[0], small.BANK.table(name)).unlink()
    tools, context = toolbox(small.BANK), Context(Reader(recording))
    text = run(Call("list_components"), tools, context).text
    assert notes(text) == ["On 2021-03-04.", "Without a file: metric_app, log_service."]
    assert [row["tables"] for row in rows(text)] == ["metric_container trace_span"] * len(small.SERVERS)
    assert notes(run(Call("list_kpis"), tools, context).text)[1] == "Without a file: metric_app."
    assert "No rows" in run(Call("get_logs", (START, END)), tools, context).text


def test_telemetry_without_days_is_nobodys_answer(tmp_path):
    (tmp_path / "Bank" / "telemetry").mkdir(parents=True)
    context = Context(Reader(Recording(small.BANK, tmp_path / "Bank")))
    for name in ("list_components", "list_kpis"):
        with pytest.raises(BackendError, match="no days"):
            run(Call(name), toolbox(small.BANK), context)


@pytest.mark.parametrize("given", [{"limit": 10**3999}, {"start_time": 10**3999}, {"start_time": -(10**3999)}])
def test_a_refusal_does_not_repeat_numbers_of_thousands_of_digits(call, given):
    with pytest.raises(ToolError, match="1000") as caught:
        call("get_traces", **{"start_time": START, "end_time": END, **given})
    assert len(str(caught.value)) < 400


texts = st.text(max_size=12) | st.sampled_from(("MG01", "Tomcat01", small.CPU, START, END, "2021-03-04", "call"))
values = texts | st.none() | st.integers() | st.floats() | st.sampled_from((small.minute(0), small.minute(100)))
arguments = st.sampled_from(
    ("start_time", "end_time", "component", "kpi", "limit", "hours", "by", "trace_id", "contains", "log_name")
)


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(sorted(toolbox(small.BANK))), given_=st.dictionaries(arguments, values, max_size=5))
def test_whatever_is_asked_a_text_within_the_budget_or_a_refusal_is_the_answer(reader, name, given_):
    try:
        text = run(Call(name, (), given_), toolbox(small.BANK), Context(reader)).text
    except ToolError as refusal:
        assert len(str(refusal)) < page.BUDGET
    else:
        assert len(text) <= page.BUDGET


@given(st.lists(st.lists(st.text(max_size=20) | st.integers() | st.floats(allow_nan=False), min_size=2, max_size=4)))
def test_a_line_of_csv_reads_back_to_what_it_holds(lists):
    text = "\n".join(page.line(each) for each in lists)
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert [row for row in read if row] == [[str(value) for value in each] for each in lists]


def test_long_cells_are_cut_and_say_so():
    cell = page.line(["x" * 1000])
    assert re.fullmatch(r"x{400}\[\.\.\. 600 characters left out\]", cell)


def test_rows_of_any_length_stay_within_the_budget(tmp_path):
    content = small.bank_rows()
    content["log_service"] = [
        (f"{n:032x}", small.minute(n // 4), "IG01", "gc", "word " * (n % 90 if n < 200 else 300)) for n in range(400)
    ]
    small.write(tmp_path / "Bank", small.BANK, small.DAY, content)
    context = Context(Reader(Recording(small.BANK, tmp_path / "Bank")))
    for limit in (None, 1, 5, 50, 5000):
        text = run(Call("get_logs", (small.DAY, "2021-03-05"), {"limit": limit}), toolbox(small.BANK), context).text
        assert len(text) <= page.BUDGET
        assert len(rows(text)) + int(re.search(r"# ([\d,]+) of 400", text)[1]) == 400


MARKET = find("market")[0]
AT = clock.parse("2022-03-20") // 1000


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    """An hour and a half of two services: in the last minutes calls to adservice-0 fail."""
    home = tmp_path_factory.mktemp("market") / "Market" / "cloudbed-1"
    kpi = "container_memory_usage_MB"
    pods = ("node-5.adservice-0", "node-6.adservice2-0", "node-6.frontend-0")
    spans = []
    for m in range(90):
        status = "14" if m >= 85 else "0"
        for n in range(3):
            start, trace = 1000 * (AT + 60 * m) + n, f"{m:030x}{n:02x}"
            call, root = f"{m:014x}{n:02x}", f"f{m:013x}{n:02x}"
            spans.append((start, "frontend-0", root, trace, 9000, "http", "200", "Recv.", ""))
            spans.append((start, "frontend-0", call, trace, 8000, "rpc", status, "AdService/GetAds", root))
            spans.append((start + 1, "adservice-0", f"a{call[1:]}", trace, 3000, "rpc", "0", "AdService/GetAds", call))
    rows = {
        "metric_container": [(AT + 60 * m, pod, kpi, 10.0) for m in range(90) for pod in pods],
        "metric_service": [("adservice-grpc", AT + 60 * m, 100.0, 99.5, 2.5, 60) for m in range(90)],
        "trace_span": spans,
        "log_service": [("a" * 20, AT, "adservice-0", "log_adservice-service_application", "hello")],
        "log_proxy": [("b" * 20, AT, "frontend-0", "log_frontend-envoy_gateway", "GET / 200")],
    }
    small.write(home, MARKET, "2022-03-20", rows)
    backend = Reader(Recording(MARKET, home))
    backend.began = AT + 90 * 60
    return lambda name, *given, **named: run(Call(name, given, named), toolbox(MARKET), Context(backend)).text


def test_a_source_chooses_the_log_file(market):
    window = (AT, AT + 60)
    assert [row["value"] for row in rows(market("get_logs", *window))] == ["hello"]
    assert [row["value"] for row in rows(market("get_logs", *window, source="proxy"))] == ["GET / 200"]
    assert [row["log_name"] for row in rows(market("log_templates", AT, AT + 600, source="proxy"))] == [
        "log_frontend-envoy_gateway"
    ]
    with pytest.raises(ToolError, match="source must be one of: service, proxy; not 'mesh'"):
        market("get_logs", *window, source="mesh")


@pytest.mark.parametrize(
    ("component", "ids"),
    [
        ("node-6", {"node-6.adservice2-0", "node-6.frontend-0"}),
        ("adservice", {"node-5.adservice-0"}),
        ("adservice2-0", {"node-6.adservice2-0"}),
        ("node-5.adservice-0", {"node-5.adservice-0"}),
    ],
)
def test_a_component_may_be_a_node_a_service_a_pod_or_an_id(market, component, ids):
    printed = rows(market("get_metric_container", AT, AT + 60, component=component))
    assert {row["cmdb_id"] for row in printed} == ids


def test_a_call_failed_when_either_side_says_so(market):
    window = (AT + 60 * 60, AT + 60 * 90 - 1)
    [call] = rows(market("slowest_spans", *window, by="call"))
    assert (call["caller"], call["called"], call["errors"], call["mean"]) == ("frontend-0", "adservice-0", "15", "5000")
    assert call["first"] == "2022-03-20 01:25:00"
    assert rows(market("slowest_spans", *window, by="call", component="adservice")) == [call]
    with pytest.raises(ToolError, match="Did you mean: frontend-0"):
        market("slowest_spans", *window, by="call", component="frontend-1")
    operation = rows(market("slowest_spans", *window, by="operation"))[0]
    assert (operation["component"], operation["operation"]) == ("frontend-0", "AdService/GetAds")


def test_numbers_that_differ_late_are_printed_far_enough():
    assert page.pair(1647705600.0, 1647705900.0) == ("1647705600", "1647705900")
    assert page.pair(0.5, 0.5) == ("0.5", "0.5")
