"""The agent of rules: what it reads, what it makes of it, and that it finds what a small bank has."""

from __future__ import annotations

import gymnasium as gym
import pytest
import small_telemetry as small

from aiops_gym.agents.base import make
from aiops_gym.agents.rules.calls import judge_calls, judge_minutes
from aiops_gym.agents.rules.indicators import Evidence, Symptom, judge_deviations, judge_operations, judge_templates
from aiops_gym.agents.rules.question import parse_table, read
from aiops_gym.agents.rules.systems import bank, find, market, telecom
from aiops_gym.agents.rules.verdict import answer, choose, rank_suspects
from aiops_gym.errors import CatalogError
from aiops_gym.openrca import domains
from aiops_gym.openrca.labels import Query, Record, write_queries, write_records
from aiops_gym.openrca.queries import scoring_points
from aiops_gym.runs import run_episode
from aiops_gym.tools import parse

RECORDS = (
    Record("pod", "Tomcat01", small.minute(71), "high CPU usage"),
    Record("pod", "MG01", small.minute(79), "network latency"),
)
ALL = ("time", "component", "reason")


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    """A question about both failures, and one about half an hour without any."""
    root = tmp_path_factory.mktemp("data")
    small.bank(root)
    write_records(root / "Bank", small.BANK, RECORDS)
    find = "occurred. Find the component, the reason and the exact time."
    both = f"On March 4, 2021, from 01:00 to 01:30, two failures {find}"
    none = f"On March 4, 2021, from 00:30 to 01:00, one failure {find}"
    points = scoring_points(RECORDS, ALL), scoring_points(RECORDS[:1], ALL)
    write_queries(root / "Bank", [Query("task_7", both, points[0]), Query("task_7", none, points[1])])
    return gym.make("aiops_gym/OpenRCABank-v0", root=str(root), tools="all")


def play(env, problem):
    return run_episode(env, make("rules", env), seed=1, options={"problem": problem})


def test_both_failures_of_a_window_are_found_within_ten_steps(env):
    episode = play(env, "Bank-task_7-0")
    assert episode.reward == 1.0
    assert len(episode.steps) <= 10
    assert {step["error"] for step in episode.steps} <= {"", "arguments"}  # A small bank has no disks to ask about.


def test_the_same_episode_is_played_alike(env):
    first, second = play(env, "Bank-task_7-0"), play(env, "Bank-task_7-0")
    assert [step["action"] for step in first.steps] == [step["action"] for step in second.steps]


def test_without_evidence_it_still_answers(env):
    episode = play(env, "Bank-task_7-1")
    last = parse(episode.steps[-1]["action"])
    assert last.name == "submit"
    assert last.kwargs == {
        "component": "apache01",
        "reason": "high CPU usage",
        "timestamp": "2021-03-04 00:45:00",
    }


def test_after_its_answer_it_repeats_it(env):
    agent = make("rules", env)
    prompt, _ = env.reset(options={"problem": "Bank-task_7-1"})
    agent.reset(prompt)
    actions = [agent.act("nothing of use") for _ in range(15)]
    assert actions[-1] == actions[-2]
    assert parse(actions[-1]).name == "submit"


def test_the_question_is_read_from_the_prompt(env):
    prompt, _ = env.reset(options={"problem": "Bank-task_7-0"})
    question = read(prompt)
    assert question.components == small.BANK.components
    assert question.reasons == small.BANK.reasons
    assert (question.start, question.end) == (small.minute(60), small.minute(90))
    assert (question.failures, question.asked) == (2, ALL)
    assert {"largest_deviations", "slowest_spans", "log_templates", "get_traces"} <= question.tools


def test_a_prompt_of_another_family_is_refused(env):
    agent = make("rules", env)
    with pytest.raises(CatalogError, match="recorded incidents only"):
        agent.reset("You are an SRE. ## ISSUE:\n\nnone")


def test_without_summaries_it_says_how_to_have_them(env):
    bare = gym.make(env.spec.id, **{**env.spec.kwargs, "tools": "basic"})
    with pytest.raises(CatalogError, match=r'reads largest_deviations and .*: make the environment with tools="all"'):
        make("rules", bare)


@pytest.mark.parametrize("domain", domains.list_domains())
def test_each_system_is_known_and_every_reason_has_a_sign(domain):
    of = domains.find(domain)[0]
    knowledge = find(of.reasons)
    told = {each.reason for each in (*knowledge.symptoms, *knowledge.logs, *knowledge.failing, *knowledge.wires)}
    assert told == set(of.reasons)
    assert {name for parts in knowledge.members.items() for name in (parts[0], *parts[1])} <= set(of.components)
    assert len(knowledge.queries) <= 8


def test_a_system_that_nobody_described_is_unknown():
    assert find(("gremlins",)) is None


def test_what_is_no_table_has_no_rows():
    assert parse_table("Error: something") == []
    assert parse_table("a,b\n1\n1,2,3\n4,5") == [{"a": "4", "b": "5"}]


def test_a_table_without_the_columns_that_are_read_has_no_rows():
    assert parse_table("a,b\n1,2", ("a", "b")) == [{"a": "1", "b": "2"}]
    assert parse_table("a,b\n1,2", ("a", "c")) == []
    assert parse_table("", ("a",)) == []


@pytest.mark.parametrize("limit", [1, 37, 100, 300, *range(900, 1000, 9)])
def test_tables_that_the_environment_cut_do_not_stop_it(env, limit):
    cut = gym.make(env.spec.id, **{**env.spec.kwargs, "observation_limit": limit})
    assert play(cut, "Bank-task_7-0").terminated


def row(**changes):
    usual = {
        "component": "MG01",
        "kpi": "cpu",
        "direction": "up",
        "z": "40",
        "first": "2021-03-04 01:05:00",
        "samples": "3",
        "before": "10",
        "during": "30",
    }
    return {**usual, **changes}


SIGN = Symptom(reason="busy", kpi="cpu", least=15, most=100, factor=2, samples=(1, 5))


def scores(*rows):
    return [each.score for each in judge_deviations(rows, (SIGN,), ("MG01",), small.minute(60))]


def test_a_sign_is_a_measurement_that_moves_far_enough():
    [full] = scores(row())
    assert full == pytest.approx(2.302585, abs=1e-6)
    assert scores(row(during="24"), row(during="300"), row(before="20", during="36"), row(samples="9")) == []
    assert scores(row(direction="down"), row(kpi="memory"), row(component="Redis01")) == []


def test_single_samples_and_what_began_before_the_window_say_less():
    [full], [single], [older] = scores(row()), scores(row(samples="1")), scores(row(first="2021-03-04 01:00:00"))
    assert full > single > older > 0


def test_more_log_lines_than_usual_speak_for_a_reason_and_fewer_do_not():
    line = {"cmdb_id": "MG01", "z": "20", "first": "2021-03-04 01:05:00", "template": "[Full GC <*> secs]"}
    [found] = judge_templates([line], bank.knowledge.logs, ("MG01",))
    assert (found.reason, found.time) == (bank.OOM, small.minute(66))
    assert list(judge_templates([{**line, "z": "-20"}, {**line, "z": ""}], bank.knowledge.logs, ("MG01",))) == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, ["db_003"]),
        ({"errors": "2"}, []),
        ({"z": "", "first": ""}, []),
        ({"operation": "LOCAL local_method_017"}, []),
        ({"operation": "JDBC db_099"}, []),
    ],
)
def test_calls_that_fail_speak_against_the_database_that_is_called(changes, found):
    rows = [
        {
            "operation": "JDBC db_003",
            "z": "40",
            "first": "2020-04-11 01:05:00",
            "count": "100",
            "errors": "9",
            **changes,
        }
    ]
    known = domains.find("telecom")[0].components
    assert [each.component for each in judge_operations(rows, telecom.knowledge.failing, known)] == found


def edge(caller, called, mean=150, p95=170, errors=0):
    numbers = {
        "count": 100,
        "errors": errors,
        "mean": mean,
        "p95": p95,
        "errors_before": 0,
        "mean_before": 10,
        "p95_before": 15,
    }
    named = {"caller": caller, "called": called, "z": "50", "first": "2021-03-04 01:05:00"}
    return {**named, **{name: str(value) for name, value in numbers.items()}}


def test_the_network_of_a_component_is_that_between_all_its_calls():
    slow = [edge("IG01", "MG01"), edge("IG02", "MG01"), edge("MG01", "dockerA1")]
    fine = [edge("IG01", "Tomcat01", 10, 15), edge("IG02", "Tomcat01", 10, 15)]
    found = list(judge_calls([*slow, *fine], bank.knowledge.wires, small.BANK.components, small.minute(60)))
    best = max(found, key=lambda each: each.score)
    assert best.component == "MG01"
    assert {each.reason for each in found if each.component == "MG01"} == {bank.LATENCY, bank.LOSS}
    assert "Tomcat01" not in {each.component for each in found}


@pytest.mark.parametrize(
    ("wires", "rows", "reason"),
    [
        (bank.knowledge.wires, [edge("a", "b")], bank.LATENCY),
        (bank.knowledge.wires, [edge("a", "b", 100, 500)], bank.LOSS),
        (market.knowledge.wires, [edge("a", "b", 100_000, 150_000)], market.LATENCY),
        (market.knowledge.wires, [edge("a", "b", 600_000, 900_000)], market.CORRUPTION),
        (market.knowledge.wires, [edge("a", "b", 300_000, 400_000, errors=3)], market.CORRUPTION),
        (market.knowledge.wires, [edge("a", "b", 300_000, 400_000, errors=20)], market.LOSS),
    ],
)
def test_a_close_look_tells_the_kind_of_network_fault(wires, rows, reason):
    [found] = judge_minutes(rows, wires, "b", 5)
    assert found.reason == reason
    assert list(judge_minutes([edge("a", "b", 10, 15)], wires, "b", 5)) == []


def evidence(component, reason, minute, score, source="kpi"):
    return Evidence(component, reason, small.minute(minute), score, source)


def test_evidence_of_one_pair_adds_up_once_a_source_and_failures_apart_are_two():
    found = rank_suspects(
        [
            evidence("MG01", "r", 62, 2.0),
            evidence("MG01", "r", 63, 1.5),
            evidence("MG01", "r", 64, 1.0, "other"),
            evidence("MG01", "r", 80, 2.5),
            evidence("IG01", "r", 62, 0.0),
        ],
        bank.knowledge,
    )
    assert [(each.component, each.time, each.score) for each in found] == [
        ("MG01", small.minute(62), 3.0),
        ("MG01", small.minute(80), 2.5),
    ]


def test_two_failures_are_chosen_apart_before_two_at_once():
    found = rank_suspects(
        [evidence("A", "r", 62, 5), evidence("B", "r", 63, 4), evidence("C", "r", 80, 1)], bank.knowledge
    )
    assert [each.component for each in choose(found, 1)] == ["A"]
    assert [each.component for each in choose(found, 2)] == ["A", "C"]
    assert [each.component for each in choose(found[:2], 2)] == ["A", "B"]


def test_a_service_is_named_when_most_of_its_pods_are_hit():
    pods = market.knowledge.members["adservice"]
    some = [evidence(pod, "r", 70, 3.0) for pod in pods[:3]]
    assert rank_suspects(some, market.knowledge)[0].component == "adservice"
    assert rank_suspects(some[:2], market.knowledge)[0].component == pods[0]
    assert rank_suspects([*some[:2], evidence(pods[2], "r", 80, 3.0)], market.knowledge)[0].component in pods


def test_only_what_is_asked_is_answered_within_the_window(env):
    prompt, _ = env.reset(options={"problem": "Bank-task_7-0"})
    question = read(prompt)
    [first, second] = answer(
        choose(rank_suspects([evidence("MG01", "r", 60, 1)], bank.knowledge), 2), question, bank.knowledge
    )
    assert first["time"] == question.start
    assert second["component"] == question.components[0]
