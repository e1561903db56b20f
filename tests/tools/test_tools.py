"""What each tool prints, writes and refuses."""

from __future__ import annotations

import pytest
from toy_world import START, ToyBackend

from aiops_gym.catalog import registry
from aiops_gym.errors import CatalogError, ToolError
from aiops_gym.tools import Context, get_actions, parse, run, toolbox
from aiops_gym.types import Call


@pytest.fixture
def context():
    return Context(ToyBackend(registry.find_problem("revoke_auth_mongodb-detection-1"), 1))


@pytest.fixture
def call(context):
    tools = toolbox("detection")
    return lambda name, *args, **kwargs: run(Call(name, args, kwargs), tools, context)


def test_a_task_has_its_own_submit_and_a_domain_has_none():
    assert list(get_actions("detection")) == [
        "exec_shell",
        "get_logs",
        "get_metrics",
        "get_traces",
        "read_metrics",
        "read_traces",
        "submit",
    ]
    assert "submit" not in get_actions("live")
    assert get_actions("mitigation")["submit"].startswith("submit()\n")
    assert get_actions("localization")["submit"].startswith("submit(faulty_components: list[str])\n")


def test_tools_are_marked_as_in_aiopslab():
    assert len(get_actions("analysis", "read")) == 5
    assert get_actions("analysis", "write") == {}
    assert list(get_actions("analysis", "action")) == ["exec_shell", "submit"]


def test_an_unknown_task_or_mark_is_named():
    with pytest.raises(CatalogError, match="no task or domain 'cooking'"):
        get_actions("cooking")
    with pytest.raises(CatalogError, match="read, write or action"):
        get_actions("detection", "rite")


@pytest.mark.parametrize("task", ["detection", "localization", "analysis", "mitigation"])
def test_every_tool_has_a_manual_that_names_its_arguments(task):
    for name, tool in toolbox(task).items():
        assert tool.name == name
        assert tool.manual.splitlines()[1].endswith(".") or name == "get_metrics"
        for argument in tool.types:
            assert f"    {argument}: " in tool.manual


@pytest.mark.parametrize(
    ("name", "args", "code", "says"),
    [
        ("teleport", (), "unknown_api", "Invalid action: teleport"),
        ("get_logs", (), "arguments", "missing a required argument: 'namespace'"),
        ("get_logs", ("a", "b", "c"), "arguments", "too many positional arguments"),
        ("get_logs", ("a", 5), "arguments", "service must be text in quotes, not int"),
        ("get_metrics", ("test-hotel-reservation", True), "arguments", "duration must be a whole number, not bool"),
        ("get_metrics", ("test-hotel-reservation", 0), "arguments", "1 to 120"),
        ("get_metrics", ("nowhere",), "arguments", "There are: test-hotel-reservation"),
        ("get_traces", ("nowhere",), "arguments", "does not exist"),
        ("get_logs", ("nowhere", "geo"), "arguments", "does not exist"),
        ("get_logs", ("test-hotel-reservation", "goe"), "arguments", "nothing named 'goe'"),
        ("exec_shell", ("ls", 0), "arguments", "1 to 900"),
        ("exec_shell", ("ls", 901), "arguments", "1 to 900"),
        ("exec_shell", ("kubectl edit svc x",), "blocked", "kubectl patch"),
        ("read_metrics", ("a.csv",), "arguments", "Metrics file 'a.csv' not found"),
        ("read_traces", ("a.csv",), "arguments", "Traces file 'a.csv' not found"),
        ("submit", (), "submission", "missing a required argument: 'has_anomaly'"),
        ("submit", ("Yes", "No"), "submission", "too many positional arguments"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(call, name, args, code, says):
    with pytest.raises(ToolError) as refusal:
        call(name, *args)
    assert refusal.value.code == code
    assert says in str(refusal.value)


def test_logs_are_those_of_the_pods_of_a_service_and_a_service_without_pods_has_none(call):
    assert call("get_logs", "test-hotel-reservation", "geo").text.startswith("10:00:01 connection refused\n")
    assert "has no pods" in call("get_logs", "test-hotel-reservation", "rate").text


LOG = "10:00:01 connection refused\n10:00:02 connection refused\n10:00:03 give up"


def test_logs_are_shortened_by_the_tool_and_never_in_the_shell(context):
    for dedup, text in ((1, LOG.partition("\n")[2]), (0, LOG)):
        asked = Call("get_logs", ("test-hotel-reservation",), {"service": "geo"})
        assert run(asked, toolbox("detection"), Context(context.backend, dedup)).text == text
        asked = Call("exec_shell", (f"echo {LOG} # kubectl logs geo",))
        assert LOG in run(asked, toolbox("detection"), Context(context.backend, dedup)).text


@pytest.mark.parametrize("name", ["read_metrics", "read_traces"])
@pytest.mark.parametrize("limit", [60, 150, 1_000])
def test_a_long_file_is_read_page_by_page(context, name, limit):
    path = "it's long.csv"
    context.backend.shell.files[path] = "\n".join(["number,half", *(f"{n},{n / 2}" for n in range(100))])
    whole = run(Call(name, (path,)), toolbox("detection"), context).text
    paged, lines, asked = Context(context.backend, limit=limit), [], Call(name, (path,))
    while asked:
        header, *rows, last = run(asked, toolbox("detection"), paged).text.split("\n")
        lines += rows if lines else [header, *rows]
        following = last.partition("next: ")[2].removesuffix("]")
        asked = parse(f"```\n{following}\n```") if following else None
    assert "\n".join(lines) == whole


@pytest.mark.parametrize("offset", [-1, 3, 99])
def test_an_offset_without_rows_is_refused(call, context, offset):
    context.backend.shell.files["a.csv"] = "a,b\n1,2\n3,4\n5,6\n"
    with pytest.raises(ToolError, match=f"below 3, its rows, not {offset}"):
        call("read_metrics", "a.csv", offset)
    assert call("read_metrics", "a.csv", 2).text == "a b\n5 6\n[rows 3 to 3 of 3; no more]"


def test_metrics_are_files_in_the_shell_that_can_be_read_back(call, context):
    text = call("get_metrics", "test-hotel-reservation").text
    folder = "metrics_output/metric_20231114_221320"
    assert text.startswith(f"Metrics data exported to directory: {folder}\n")
    assert context.backend.shell.list_files("metrics_output") == [
        f"{folder}/container/kpi_container_network_receive_bytes_total.csv",
        f"{folder}/container/kpi_container_threads.csv",
    ]
    table = call("read_metrics", f"{folder}/container/kpi_container_network_receive_bytes_total.csv").text
    assert table.splitlines()[:2] == [
        " timestamp       cmdb_id                                   kpi_name value",
        "1699999700  node-1.geo-1 container_network_receive_bytes_total.eth0 1.500",
    ]


def test_traces_say_how_many_there_were_and_hold_each_span_once(call, context):
    text = call("get_traces", "test-hotel-reservation", duration=10).text
    path = f"trace_output/traces_{int(START)}.csv"
    assert f"exported to: {path}" in text
    assert "rate: 1 of 250 traces" in text
    assert "jaeger" not in text
    rows = context.backend.shell.files[path].splitlines()
    assert rows[1:] == ["t1,s1,ROOT,rate,GetRates,1000,500,False,200", "t1,s2,s1,geo,Nearby,1100,200,True,Unknown"]
    assert call("read_traces", path).text.splitlines()[0].split() == rows[0].split(",")


def test_questions_cost_time(call, context):
    call("get_traces", "test-hotel-reservation")
    assert context.backend.now() == pytest.approx(START + 0.9)


def test_a_failing_command_ends_with_its_exit_code(call):
    assert call("exec_shell", "echo hi").text == "hi\n"
    assert call("exec_shell", "cat nowhere").text == "cat: nowhere: no such file\n[exit code 1]"
    slow = call("exec_shell", "sleep 60")
    assert slow.error == "timeout"
    assert slow.text.endswith("exec_shell(command, timeout=120)\n[exit code 124]")


@pytest.mark.parametrize("text", ["", "\n\n", "a,b\n1,2,3\n", "a\x00b"])
def test_a_file_that_is_no_table_is_refused(call, context, text):
    context.backend.shell.files["odd.csv"] = text
    try:
        assert call("read_metrics", "odd.csv").text
    except ToolError as refusal:
        assert "Failed to read metrics" in str(refusal)


@pytest.mark.parametrize("name", ["get_metrics", "get_traces"])
def test_a_full_disk_is_told_to_the_agent(call, context, name):
    context.backend.shell.full = True
    with pytest.raises(ToolError, match="No space left on device"):
        call(name, "test-hotel-reservation")
