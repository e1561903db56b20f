"""What each answer is worth, in both evaluations, against the tables of the original."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_world import ToyBackend

from aiops_gym.catalog import registry
from aiops_gym.errors import CatalogError, ToolError
from aiops_gym.tasks.base import Case, Truth, find, find_truth, list_tasks

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def judged(problem: str, answer: Any, evaluation: str = "strict"):
    found = registry.find_problem(problem)
    fault = registry.find_fault(found)
    known = find_truth(found, fault, registry.find_app(found.app))
    task = find(found.task)
    case = Case(found, fault, known, ToyBackend(found, 1), evaluation)
    return task.judge(task.accept(answer, evaluation), case)


def test_the_folder_is_the_list_of_tasks():
    assert list_tasks() == ("analysis", "detection", "incident", "localization", "mitigation")
    with pytest.raises(CatalogError, match="no task 'cooking'"):
        find("cooking")


@pytest.mark.parametrize("evaluation", ["strict", "aiopslab"])
@pytest.mark.parametrize(
    ("answer", "grade"),
    [("Yes", "Correct"), (" YES\n", "Correct"), ("Yes.", "Incorrect"), ("No", "Incorrect"), ("", "Incorrect")],
)
def test_detection_takes_one_word(answer, grade, evaluation):
    verdict = judged("revoke_auth_mongodb-detection-1", answer, evaluation)
    assert verdict.results["Detection Accuracy"] == grade
    assert verdict.reward == float(verdict.success) == float(grade == "Correct")


def test_a_healthy_application_asks_for_no():
    assert judged("noop_detection_hotel_reservation-1", "no").reward == 1.0
    assert judged("noop_detection_hotel_reservation-1", "Yes").reward == 0.0


@pytest.mark.parametrize("answer", [None, 5, True, ["Yes"], {"has_anomaly": "Yes"}])
def test_what_is_no_word_is_invalid_here_and_final_there(answer):
    with pytest.raises(ToolError, match="Invalid submission") as refusal:
        judged("revoke_auth_mongodb-detection-1", answer)
    assert refusal.value.code == "submission"
    verdict = judged("revoke_auth_mongodb-detection-1", answer, "aiopslab")
    assert verdict.results["Detection Accuracy"] == "Invalid Format"


HIT = "user_unregistered_mongodb-localization-1"


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        (["mongodb-geo"], 1.0),
        (["geo"], 1.0),
        (["geo", "mongodb-geo"], 1.0),
        ([" Geo "], 1.0),
        ("geo", 1.0),
        (["geo", "geo"], 1.0),
        (["geo", "rate"], 0.5),
        (["geo", "mongodb-geo", "rate"], 0.5),
        (["rate", "user", "geo"], 1 / 3),
        (["rate"], 0.0),
        ([""], 0.0),
        ([], 0.0),
        (None, 0.0),
    ],
)
def test_localization_counts_names_once_and_shares_the_point(answer, reward):
    verdict = judged(HIT, answer)
    assert verdict.reward == pytest.approx(reward)
    assert verdict.success == (reward == 1.0)
    assert verdict.results["Localization Accuracy"] == pytest.approx(100 * reward)
    assert verdict.results["is_subset"] == (reward > 0)


@pytest.mark.parametrize("answer", [5, [1], [["geo"]], {"geo": 1}, True, [None]])
def test_localization_refuses_what_is_no_list_of_names(answer):
    with pytest.raises(ToolError, match="list of component names"):
        judged(HIT, answer)


UPSTREAM = [
    (None, 0.0, False, False),
    ("user", 100.0, True, False),
    (["user"], 100.0, True, True),
    (["user", "a"], 50.0, False, True),
    (["user", "user"], 50.0, False, True),
    (["a"], 0.0, False, False),
    ([], 0.0, False, False),
    ("User", 0.0, False, False),
    (["user "], 0.0, False, False),
    ({"user": 1}, 100.0, True, True),
    ([["user"]], 0.0, False, False),
    ([{"user": 1}], 0.0, False, False),
    (5, 0.0, False, False),
]


@pytest.mark.parametrize(("answer", "accuracy", "success", "subset"), UPSTREAM)
def test_aiopslabs_table_of_localization_holds(answer, accuracy, success, subset):
    verdict = judged("network_loss_hotel_res-localization-1", answer, "aiopslab")
    assert (verdict.results["Localization Accuracy"], verdict.success, verdict.results["is_subset"]) == (
        accuracy,
        success,
        subset,
    )


@pytest.mark.parametrize(
    ("answer", "accuracy", "subset"),
    [
        (["geo"], 100.0, True),
        (["mongodb-geo"], 100.0, True),
        ("geo", 100.0, False),
        (["geo", "mongodb-geo"], 50.0, True),
    ],
)
def test_aiopslab_punishes_naming_both_accepted_names(answer, accuracy, subset):
    verdict = judged("revoke_auth_mongodb-localization-1", answer, "aiopslab")
    assert (verdict.results["Localization Accuracy"], verdict.results["is_subset"]) == (accuracy, subset)


@pytest.mark.parametrize("evaluation", ["strict", "aiopslab"])
def test_an_empty_list_is_right_where_nothing_is_wrong(evaluation):
    assert judged("noop_localization_hotel_reservation-1", [], evaluation).reward == 1.0
    assert judged("noop_localization_hotel_reservation-1", ["geo"], evaluation).reward == 0.0


@pytest.mark.parametrize("evaluation", ["strict", "aiopslab"])
@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ({"system_level": "Application", "fault_type": "Authentication Issue"}, 1.0),
        ({"system_level": " application ", "fault_type": "AUTHENTICATION ISSUE"}, 1.0),
        ({"system_level": "Application", "fault_type": "Code Defect"}, 0.5),
        ({"system_level": "Application"}, 0.5),
        ({"system_level": 5, "fault_type": None}, 0.0),
        ({}, 0.0),
        (None, 0.0),
    ],
)
def test_analysis_gives_half_a_point_a_label(answer, reward, evaluation):
    verdict = judged("revoke_auth_mongodb-analysis-1", answer, evaluation)
    assert verdict.reward == reward
    assert verdict.success == (reward == 1.0)


def test_disputed_labels_earn_the_point_in_strict_only():
    disputed = {"system_level": "Application", "fault_type": "Authentication Issue"}
    task = find("analysis")
    problem = registry.find_problem("user_unregistered_mongodb-analysis-1")
    known = Truth("mongodb-geo", (), "Application", "Network/Storage Issue", (("Application", "Authentication Issue"),))
    for evaluation, reward in (("strict", 1.0), ("aiopslab", 0.5)):
        case = Case(problem, registry.find_fault(problem), known, ToyBackend(problem, 1), evaluation)
        assert task.judge(disputed, case).reward == reward


def test_analysis_of_a_healthy_application_is_nothing():
    assert judged("noop_analysis_hotel_reservation-1", None).reward == 1.0
    assert judged("noop_analysis_hotel_reservation-1", {"system_level": "Application"}).reward == 0.0


@pytest.mark.parametrize("evaluation", ["strict", "aiopslab"])
@pytest.mark.parametrize(
    "problem", ["container_kill-detection", HIT, "wrong_bin_usage-analysis-1", "noop_analysis_hotel_reservation-1"]
)
@given(answer=ANYTHING)
def test_no_answer_breaks_a_judge(problem, evaluation, answer):
    try:
        verdict = judged(problem, answer, evaluation)
    except ToolError as refusal:
        assert refusal.code == "submission"
    else:
        assert 0.0 <= verdict.reward <= 1.0
        assert isinstance(verdict.results["submitted"], str)


@pytest.mark.parametrize("problem", registry.problems(), ids=lambda problem: problem.id)
def test_every_problem_is_solved_by_the_answer_that_follows_from_its_fault(problem):
    if problem.task == "mitigation":
        return
    fault = registry.find_fault(problem)
    known = find_truth(problem, fault, registry.find_app(problem.app))
    for evaluation in ("strict", "aiopslab"):
        answer = next(iter(find(problem.task).solution(known)), None)
        assert judged(problem.id, answer, evaluation).reward == 1.0


def test_the_brief_tells_nothing_of_the_fault():
    problem = registry.find_problem(HIT)
    text = find("localization").brief(problem, registry.find_app(problem.app))
    assert "mongodb-geo, " in text
    assert "Namespace: test-hotel-reservation" in text
    assert "unregistered" not in text
