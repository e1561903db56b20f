"""A sample of the hard incidents, played in every way in which they are posed, as `aiops-gym admission` plays all."""

import pytest

from aiops_gym.catalog.splits import hash_to_fraction
from aiops_gym.testing.admission import Admission, admit, list_pairs, name_pair

FEW = 6
"""They take half a minute of processor time each."""

SAMPLE = sorted(list_pairs(tier="hard"), key=lambda pair: hash_to_fraction("hard sample", *name_pair(pair[0])))[:FEW]


@pytest.mark.full
@pytest.mark.parametrize("pair", SAMPLE, ids=lambda pair: "-".join(name_pair(pair[0])))
def test_a_hard_incident_is_admitted(pair):
    found = admit(pair)
    assert found.broken == []
    assert found.chain


def test_there_are_enough_to_play():
    assert len(list_pairs(tier="hard")) >= 1_200
    assert len({pair[0].fault for pair in SAMPLE}) == FEW


def test_what_was_kept_of_an_admission_is_read_as_it_was():
    row = Admission("app", "fault", "target", "train", 4, 3, 1, seen=("pods",), chain=("get_alerts()",))
    assert Admission.read({**row.__dict__, "seen": ["pods"], "chain": ["get_alerts()"], "universal": []}) == row
