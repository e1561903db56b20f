"""What the page of AIOpsLab's actions says, where no other test says it in the page's own terms."""

from __future__ import annotations

import csv
import io

import pytest
from toy_world import ToyEnv, block

from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
from aiops_gym.shell.block import refuse
from aiops_gym.tools import Context, run, toolbox
from aiops_gym.types import Call

TASKS = ("detection", "localization", "analysis", "mitigation")
COMMON = ("get_logs", "get_metrics", "read_metrics", "get_traces", "read_traces", "exec_shell")
NS = "test-hotel-reservation"


@pytest.fixture(scope="module")
def healthy():
    """A healthy Hotel Reservation."""
    problem = next(each for each in registry.list_healthy("detection") if each.app == "hotel_reservation")
    return Simulated(problem, 3, noise=False)


@pytest.fixture
def context(healthy):
    return Context(healthy.fork())


def call(context, name, *args):
    return run(Call(name, args, {}), toolbox("detection"), context).text


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_every_action(task):
    assert {*toolbox(task)} == {*COMMON, "submit"}


def test_signatures_and_defaults_are_those_of_the_page():
    usage = {name: tool.usage for name, tool in toolbox("detection").items()}
    assert usage["get_logs"] == "get_logs(namespace: str, service: str)"
    assert usage["get_metrics"] == "get_metrics(namespace: str, duration: int = 5)"
    assert usage["get_traces"] == "get_traces(namespace: str, duration: int = 5)"
    assert usage["exec_shell"] == "exec_shell(command: str, timeout: int = 30)"
    for name in ("read_metrics", "read_traces"):  # a page asks for the next one by `offset`
        assert usage[name].startswith(f"{name}(file_path: str")
    submits = [toolbox(task)["submit"].usage for task in TASKS]
    assert submits[:2] == ["submit(has_anomaly: str)", "submit(faulty_components: list[str])"]
    assert submits[2:] == ["submit(analysis: dict[str, str] | None = None)", "submit()"]


@pytest.mark.parametrize(
    ("task", "keyword"),
    [
        ("detection", "has_anomaly='Yes'"),
        ("localization", "faulty_components=['geo']"),
        ("analysis", "analysis={'system_level': 'Application', 'fault_type': 'Misconfiguration'}"),
    ],
)
def test_an_answer_may_be_given_by_its_name(task, keyword):
    env = ToyEnv(task)
    env.reset(seed=1)
    assert env.step(block(f"submit({keyword})"))[2]


@pytest.mark.parametrize(
    ("app", "label"),
    [
        ("hotel_reservation", "io.kompose.service"),
        ("social_network", "app"),
        ("astronomy_shop", "app.kubernetes.io/name"),
    ],
)
def test_a_service_is_found_by_the_label_of_its_application(app, label):
    problem = next(each for each in registry.list_healthy("detection") if each.app == app)
    backend = Simulated(problem, 3, noise=False)
    for name in backend.app.components[:4]:
        listed = backend.shell.run(f"kubectl get pods -n {backend.app.namespace} -l {label}={name} -o name").stdout
        assert listed.startswith(f"pod/{name}-")
        assert "Error" not in call(Context(backend), "get_logs", backend.app.namespace, name)[:20]


def test_metrics_and_traces_are_csv_files_below_the_folders_of_the_page_and_read_back_whole(context):
    for name, read, folder in (
        ("get_metrics", "read_metrics", "metrics_output"),
        ("get_traces", "read_traces", "trace_output"),
    ):
        assert f"{folder}/" in call(context, name, NS, 1)
        path = sorted(context.backend.shell.list_files(folder), key=len)[0]
        rows = list(csv.reader(io.StringIO(context.backend.shell.read_file(path))))
        lines = call(context, read, path).splitlines()
        assert lines[0].split() == rows[0]
        assert len(lines) == len(rows) > 2


LOOKS = [
    f"kubectl get pods -n {NS}",
    f"kubectl describe pod $(kubectl get pods -n {NS} -o name | head -1 | cut -d/ -f2) -n {NS}",
    f"kubectl logs $(kubectl get pods -n {NS} -o name | head -1 | cut -d/ -f2) -n {NS}",
    f"kubectl get events -n {NS} --sort-by='.lastTimestamp'",
    f"kubectl get deployments -n {NS}",
    f"kubectl patch deployment rate -n {NS} -p " """'{"spec":{"minReadySeconds":1}}'""",
    f"kubectl scale deployment rate --replicas=2 -n {NS}",
    f"kubectl delete pod $(kubectl get pods -n {NS} -o name | head -1 | cut -d/ -f2) -n {NS}",
    f"kubectl get svc -n {NS}",
    f"kubectl get configmaps -n {NS}",
]


def test_the_common_commands_of_the_page_work(context):
    for line in LOOKS:
        text = call(context, "exec_shell", line)
        assert "[exit code" not in text, (line, text)


@pytest.mark.parametrize(
    ("command", "says", "instead"),
    [
        ("kubectl edit svc geo", "Cannot use `kubectl edit`", "Use `kubectl patch`"),
        ("kubectl port-forward svc/geo 80", "interactive command", ""),
        ("kubectl logs -f geo", "Cannot use `kubectl logs -f`", "Use `kubectl logs`"),
        ("docker logs -f geo", "Cannot use `docker logs -f`", "Use `docker logs`"),
    ],
)
def test_what_is_blocked_says_what_to_use_instead(command, says, instead):
    text = refuse(command)
    assert says in text
    assert instead in text


def test_a_shell_keeps_files_and_nothing_else_and_asks_nobody(context):
    call(context, "exec_shell", "X=1; cd /tmp; echo kept > /tmp/note")
    assert call(context, "exec_shell", "echo [$X] $PWD; cat /tmp/note; read answer; echo [$answer]") == (
        "[] /root\nkept\n[]\n"
    )
