"""What each stage of an incident is worth, from what was said and what was counted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.backends.base import Assessment, Harm, Path
from aiops_gym.errors import ArgumentError
from aiops_gym.tasks.base import Truth
from aiops_gym.tasks.incident import WEIGHTS, check_weights
from aiops_gym.tasks.stages import (
    PROMPT,
    SWIFT,
    Handled,
    compute_f1,
    rate_detection,
    rate_diagnosis,
    rate_harm,
    rate_time,
)

GEO = Truth("mongodb-geo", ("geo",), "Application", "Misconfiguration", (("Virtualization", "Operation Error"),))
WAY = Path(("frontend", "geo", "mongodb-geo"), (("frontend", "geo"), ("geo", "mongodb-geo")))
KIND = {"system_level": "Application", "fault_type": "Misconfiguration"}
RIGHT = {"components": ["mongodb-geo"], "kinds": [KIND], "path": [["mongodb-geo", "geo", "frontend"]]}
SOUND = Assessment(cause_gone=True, complete=True, steady=True, served=True)
LIMIT = 3600.0

names = st.lists(st.sampled_from(["frontend", "geo", "mongodb-geo", "rate", "search"]), max_size=5)


def rated(said, *causes):
    return rate_diagnosis(said, causes or (GEO,), WAY)


def test_a_right_diagnosis_is_worth_all_of_it_in_either_direction_and_any_case():
    assert set(rated(RIGHT).values()) == {1.0}
    turned = {**RIGHT, "components": [" Geo "], "path": [["frontend", "GEO", "mongodb-geo"]]}
    assert set(rated(turned).values()) == {1.0}
    assert set(rated({}).values()) == {0.0}


def test_every_part_falls_by_what_is_named_too_much():
    everything = {
        "components": ["frontend", "geo", "rate", "search", "user"],
        "kinds": [KIND, {**KIND, "fault_type": "Code Defect"}],
        "path": [["frontend", "rate", "search", "user", "geo", "mongodb-geo"]],
    }
    found = rated(everything)
    assert found["path_components"] == pytest.approx(2 / 6)
    assert found["path_kinds"] == pytest.approx(0.5 * 2 / 6)
    assert found["path_nodes"] == pytest.approx(2 * 3 / (3 + 6))
    assert found["path_edges"] == pytest.approx(2 * 1 / (2 + 5))


def test_labels_count_as_in_analysis_and_accepted_ones_too():
    half = {**RIGHT, "kinds": [{"system_level": "application", "fault_type": "Code Defect"}]}
    other = {**RIGHT, "kinds": [{"system_level": "Virtualization", "fault_type": "Operation Error"}]}
    assert (rated(half)["path_kinds"], rated(other)["path_kinds"]) == (0.5, 1.0)


def test_where_the_cause_lies_in_no_component_none_is_asked_for():
    found = rated({**RIGHT, "components": ["rate"]}, replace(GEO, target="", aliases=()))
    assert "path_components" not in found
    assert found["path_kinds"] == 1.0
    assert rated({**RIGHT, "components": ["rate"]})["path_kinds"] == 0.0


def test_of_two_causes_each_counts():
    rate = Truth("rate", (), "Virtualization", "Network/Storage Issue")
    one = rated(RIGHT, GEO, rate)
    assert (one["path_components"], one["path_kinds"]) == (pytest.approx(2 / 3), pytest.approx(0.5 * 2 / 3))
    kinds = [KIND, {"system_level": rate.layer, "fault_type": rate.kind}]
    both = rated({**RIGHT, "components": ["geo", "rate"], "kinds": kinds}, GEO, rate)
    assert (both["path_components"], both["path_kinds"]) == (1.0, 1.0)


@given(names, names, st.lists(names, max_size=3))
def test_no_diagnosis_leaves_the_range_and_only_the_right_one_is_perfect(components, kinds, chains):
    said = {"components": components, "kinds": [{**KIND, "fault_type": each} for each in kinds], "path": chains}
    found = rated(said)
    assert all(0.0 <= value <= 1.0 for value in found.values())
    assert found["path_kinds"] <= 0.5


@given(st.sets(st.integers(0, 6)), st.sets(st.integers(0, 6)))
def test_f1_is_one_for_the_same_set_alone(named, right):
    assert (compute_f1(named, right) == 1.0) == (named == right)
    assert compute_f1(named, right) == compute_f1(right, named)


def test_time_is_free_at_first_and_costs_up_to_the_limit():
    said = [Handled(detected=seconds, resolved=seconds) for seconds in (0.0, PROMPT, SWIFT, LIMIT, 2 * LIMIT)]
    noticed = [rate_detection(each, False, LIMIT) for each in said]
    assert noticed[:2] == [1.0, 1.0]
    assert noticed[2] == pytest.approx(1 - 0.5 * 600 / 3300)
    assert noticed[3:] == [0.5, 0.5]
    assert [rate_time(each, LIMIT) for each in said] == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert rate_detection(Handled(), False, LIMIT) == rate_time(Handled(), LIMIT) == 0.0


def test_in_a_healthy_world_an_alarm_costs_half_and_no_word_all():
    quiet, late = Handled(closed="no_incident"), Handled(closed="no_incident", detected=5.0)
    open_, wrong = Handled(), Handled(closed="report", detected=5.0)
    assert [rate_detection(each, True, LIMIT) for each in (quiet, late, open_, wrong)] == [1.0, 0.5, 0.0, 0.0]


def test_harm_is_measured_against_doing_nothing():
    hurt = [rate_harm(SOUND, Harm(minutes, 4.0)) for minutes in (0.0, 4.0, 6.0, 8.0, 20.0)]
    assert hurt == [1.0, 1.0, 0.5, 0.0, 0.0]
    assert rate_harm(SOUND, Harm(0.5, 0.0)) == 0.5  # where doing nothing costs nothing, a minute is the measure
    aside = Assessment(cause_gone=True, complete=True, steady=True, served=True, collateral=("a", "b"))
    lost = Assessment(cause_gone=True, complete=True, steady=True, served=True, damage=("geo has lost documents",))
    assert (rate_harm(aside, Harm(0, 4)), rate_harm(lost, Harm(0, 4))) == (0.25, 0.0)


def test_what_was_said_survives_json():
    said = Handled(detected=5.0, diagnosis=RIGHT, resolved=60.0, left=SOUND, after=True)
    assert Handled.from_json(said.to_json()) == said


def test_weights_are_shares_of_their_sum():
    assert check_weights(None) is WEIGHTS
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)
    assert check_weights({"path": 1, "repair": 3})["path"] == 0.25
    for wrong in ({"paths": 1}, {"path": -1}, {"path": "1"}, {"path": 0}, {"path": float("inf")}, {"path": True}):
        with pytest.raises(ArgumentError):
            check_weights(wrong)
