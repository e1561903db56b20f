"""A sample of the hard incidents, played in every way in which they are posed, as `aiops-gym admission` plays all."""

import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.splits import hash_to_fraction
from aiops_gym.testing.admission import LOST, SLOWER, Admission, admit, is_late, list_pairs, measure_hurt, name_pair
from aiops_gym.testing.problems import check_answers

MANY = 60
"""They take some seconds of processor time each."""

DRAWN = sorted(list_pairs(tier="hard"), key=lambda pair: hash_to_fraction("hard sample", *name_pair(pair[0])))
SAMPLE = DRAWN[:MANY]
EACH = {(pair[0].app, pair[0].how or pair[0].fault): pair for pair in reversed(DRAWN)}
"""One of each family and composition in each application."""


@pytest.mark.full
@pytest.mark.parametrize("pair", SAMPLE, ids=lambda pair: "-".join(name_pair(pair[0])))
def test_a_hard_incident_is_admitted(pair):
    found = admit(pair)
    assert found.broken == []
    assert found.chain


@pytest.mark.full
@pytest.mark.parametrize("app", sorted({app for app, _ in EACH}))
def test_each_family_hurts_in_each_application(app):
    calm = []
    for (where, family), pair in EACH.items():
        backend = Simulated(pair[-1], 1, noise=False) if where == app else None
        lost, slower = measure_hurt(backend) if backend else (1.0, 1.0)
        if lost <= LOST and slower < SLOWER and backend and not is_late(backend):
            calm.append(f"{family} on {pair[0].target}")
    assert calm == []


@pytest.mark.full
def test_a_repair_of_a_cascade_does_not_wait_for_the_back_off_of_whom_it_spread_to():
    """At this seed the ReplicaSet of a third component would come back after the verdict."""
    check_answers(registry.find_problem("cascade_social_network-mitigation-user-timeline-mongodb.exhausted_quota"), 1)


def test_there_are_enough_to_play():
    assert len(list_pairs(tier="hard")) >= 1_200
    assert len({pair[0].app for pair in SAMPLE}) == 3
    assert len({pair[0].fault for pair in SAMPLE}) >= 20
    assert len(EACH) >= 100


def test_what_was_kept_of_an_admission_is_read_as_it_was():
    row = Admission("app", "fault", "target", "train", 4, 3, 1, seen=("pods",), chain=("get_alerts()",))
    assert Admission.read({**row.__dict__, "seen": ["pods"], "chain": ["get_alerts()"], "universal": []}) == row
