"""What the page of AIOpsLab's tasks says, where no other test says it in the page's own terms."""

from __future__ import annotations

import pytest
from toy_world import ToyBackend, ToyEnv

from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
from aiops_gym.errors import ToolError
from aiops_gym.tasks.analysis import KINDS, LAYERS
from aiops_gym.tasks.base import Case, find, find_truth
from aiops_gym.tools import parse

TIMES = {"detection": "TTD", "localization": "TTL", "analysis": "TTA", "mitigation": "TTM"}
"""Task -> the name of its time."""

HOTEL = """
frontend geo profile rate recommendation reservation search user
mongodb-geo mongodb-profile mongodb-rate mongodb-recommendation mongodb-reservation mongodb-user
memcached-profile memcached-rate memcached-reserve
consul jaeger
"""
SOCIAL = """
nginx-thrift compose-post-service home-timeline-service user-timeline-service
post-storage-service social-graph-service user-service user-mention-service
text-service unique-id-service url-shorten-service media-service media-frontend
post-storage-mongodb social-graph-mongodb user-mongodb user-timeline-mongodb url-shorten-mongodb media-mongodb
home-timeline-redis social-graph-redis user-timeline-redis
post-storage-memcached user-memcached url-shorten-memcached media-memcached
jaeger
"""
ANSWERS = {
    "detection": "Thought: The logs have errors.\nAction: ```\nsubmit('Yes')\n```",
    "localization": "Thought: It is slow.\nAction: ```\nsubmit(['recommendation'])\n```",
    "analysis": "Thought: Revoked credentials.\nAction: ```\nsubmit({'system_level': 'Application', "
    "'fault_type': 'Authentication Issue'})\n```",
    "mitigation": "Thought: It is healthy now.\nAction: ```\nsubmit()\n```",
}
"""Task -> a response as the page shows one: thought and fence, the fence on the line of `Action:`."""


@pytest.mark.parametrize("task", TIMES)
def test_a_response_as_the_page_shows_it_ends_each_task_with_the_tasks_own_time(task):
    env = ToyEnv(task)
    env.reset(seed=1)
    _, _, terminated, _, info = env.step(ANSWERS[task])
    assert terminated
    assert isinstance(info["results"][TIMES[task]], float)
    assert not {*TIMES.values()} - {TIMES[task]} & {*info["results"]}


@pytest.mark.parametrize(("app", "names"), [("hotel_reservation", HOTEL), ("social_network", SOCIAL)])
def test_the_names_of_the_page_are_the_components_and_the_prompt_lists_them(app, names):
    assert sorted(registry.find_app(app).components) == sorted(names.split())
    (problem, *_) = registry.problems("localization", app)
    text = find("localization").brief(problem, registry.find_app(app))
    assert all(name in text for name in names.split())


def test_levels_and_kinds_are_those_of_the_page():
    assert LAYERS == ("Hardware", "Operating System", "Virtualization", "Application")
    kinds = ("Misconfiguration", "Code Defect", "Authentication Issue", "Network/Storage Issue")
    assert (*kinds, "Operation Error", "Dependency Problem") == KINDS


def pod(state, ready=False):
    status = {"name": "geo", "state": state, "ready": ready}
    return {"metadata": {"name": "geo-1", "labels": {}}, "status": {"containerStatuses": [status]}}


class Pods(ToyBackend):
    """The pods that a test says."""

    shown = ()

    def pods(self):
        return self.shown

    def calm(self):
        return self


RUNNING = pod({"running": {}}, ready=True)


@pytest.mark.parametrize(
    ("states", "success"),
    [
        ([RUNNING], True),
        ([RUNNING, pod({"waiting": {"reason": "CrashLoopBackOff"}})], False),
        ([RUNNING, pod({"terminated": {"reason": "Error"}})], False),
        ([RUNNING, pod({"terminated": {"reason": "Completed"}})], True),
        ([RUNNING, pod({"running": {}})], False),
    ],
)
def test_the_three_checks_of_the_page_decide(states, success):
    problem = registry.find_problem("revoke_auth_mongodb-mitigation-1")
    backend = Pods(problem, 1)
    backend.shown = states
    known = find_truth(problem, backend.fault, backend.app)
    verdict = find("mitigation").judge(None, Case(problem, backend.fault, known, backend, "aiopslab"))
    assert (verdict.success, verdict.results["success"]) == (success, success)


NS = "test-hotel-reservation"
REPAIRS = [
    f"kubectl delete pod $(kubectl get pods -n {NS} -l io.kompose.service=geo -o name | cut -d/ -f2) -n {NS}",
    f"kubectl scale deployment geo --replicas=2 -n {NS}",
    f"kubectl patch deployment geo -n {NS} -p " """'{"spec":{"minReadySeconds":1}}'""",
    f"kubectl rollout undo deployment/geo -n {NS}",
    f"kubectl get service geo -n {NS} -o yaml > a.yaml; kubectl apply -f a.yaml",
]


@pytest.fixture(scope="module")
def hotel():
    """A healthy Hotel Reservation."""
    problem = next(each for each in registry.list_healthy("detection") if each.app == "hotel_reservation")
    return Simulated(problem, 3, noise=False)


def test_the_common_repairs_of_the_page_work(hotel):
    backend = hotel.fork()
    backend.shell.run(f"kubectl set env deployment/geo -n {NS} A=1")  # something to undo
    for line in REPAIRS:
        run = backend.shell.run(line, timeout=60)
        assert run.code == 0, run.output


def test_a_deleted_pod_comes_back_under_another_name(hotel):
    backend = hotel.fork()
    before = backend.shell.run(f"kubectl get pods -n {NS} -l io.kompose.service=user -o name").stdout
    backend.shell.run(f"kubectl delete -n {NS} {before}", timeout=90)
    backend.spend(30)
    after = backend.shell.run(f"kubectl get pods -n {NS} -l io.kompose.service=user").stdout
    assert "1/1     Running" in after
    assert before.strip().rpartition("/")[2] not in after


@pytest.mark.parametrize("text", ['exec_shell("kubectl get pods")', '```\nexec_shell("cmd1")\nexec_shell("cmd2")\n```'])
def test_the_wrong_examples_of_the_page_are_refused(text):
    with pytest.raises(ToolError):
        parse(text)


def test_text_before_the_block_is_refused_where_the_format_is_strict():
    text = 'Let me check the pods:\n```\nexec_shell("kubectl get pods")\n```'
    assert parse(text).name == "exec_shell"
    with pytest.raises(ToolError):
        parse(text, strict=True)
