"""What is left out is not there, and all else is."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import aiops_gym  # noqa: F401  # registers
from aiops_gym.errors import ArgumentError
from aiops_gym.learning.ablations import ABLATIONS, ROWS, TELEMETRY, list_macros
from aiops_gym.learning.stack import wrap
from aiops_gym.wrappers.reading.macros import AROUND

PROBLEM = "misconfig_app_hotel_res-mitigation-1"


def looked(without):
    """What a stack shows after all looks that it has."""
    env = wrap(gym.make("aiops_gym/Mitigation-v0", problem=PROBLEM), without=without)
    env.reset(seed=3)
    names = env.get_wrapper_attr("macro_names")
    for look in AROUND:
        if look in names:
            seen = env.step(names.index(look))[0]
    return env, seen


@pytest.fixture(scope="module")
def whole():
    return looked("")


def column(seen, part, name):
    return seen[part].reshape(-1, len(ROWS[part]))[:, ROWS[part].index(name)]


def test_without_drift_no_row_tells_of_it_and_the_rest_is_as_before(whole):
    _, less = looked("drift")
    assert column(whole[1], "components", "drifts").any()
    for name in ("drifts", "container differs", "pod differs much", "strange_settings"):
        assert not column(less, "components", name).any()
    for name in ("there", "older", "warned", "calls_fail"):
        assert np.array_equal(column(less, "components", name), column(whole[1], "components", name))
    assert np.array_equal(less["whole"], whole[1]["whole"])


def test_shuffled_rows_have_the_same_numbers_in_another_order_each_time(whole):
    env, less = looked("shuffled")
    for part in ("components", "others"):
        before, after = (seen[part].reshape(-1, len(ROWS[part])) for seen in (whole[1], less))
        assert np.array_equal(np.sort(before, axis=1), np.sort(after, axis=1))
        assert np.array_equal(before[:, 0], after[:, 0])
    assert not np.array_equal(less["components"], whole[1]["components"])
    again = env.step(0)[0]
    assert not np.array_equal(again["components"], less["components"])


def test_telemetry_and_all_looks_but_one_are_left_out_of_the_actions(whole):
    every = set(whole[0].get_wrapper_attr("macro_names"))
    left = {name: set(looked(name)[0].get_wrapper_attr("macro_names")) for name in ("telemetry", "looks")}
    assert every - left["telemetry"] == TELEMETRY - {"alerts"}  # which basic tools have not
    assert set(AROUND) & left["looks"] == {"manifests"}
    assert set(AROUND) & set(list_macros("detection", "looks")) == {"status"}


def test_what_cannot_be_left_out_is_refused():
    for name in ABLATIONS:
        wrap(gym.make("aiops_gym/Detection-v0"), without=name)
    with pytest.raises(ArgumentError, match="'luck'"):
        wrap(gym.make("aiops_gym/Detection-v0"), without="luck")
