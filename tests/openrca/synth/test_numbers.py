"""How numbers are written into the synthetic CSV files."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.openrca.synth.files import _floats

PLAIN = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")


@given(st.lists(st.floats(-1e14, 1e14, allow_nan=False), min_size=1, max_size=20))
def test_a_number_reads_back_as_itself(values):
    texts = _floats(np.array(values)).to_pylist()
    assert [float(text) for text in texts] == values
    assert all(PLAIN.fullmatch(text) for text in texts)


def test_large_whole_numbers_have_no_exponent_and_none_is_empty():
    assert _floats(np.array([1.06e10, 3.0, np.nan, 0.5])).to_pylist() == ["10600000000.0", "3.0", "", "0.5"]
