"""Quantities are written as the server does: whole, and with the largest suffix that allows it."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.sim.kernel.quantity import NANO, parse, write


@given(st.integers(-(10**24), 10**24), st.integers(0, 9), st.sampled_from(["", "m", "Mi", "e3"]))
def test_what_is_written_reads_the_same_and_cannot_be_shorter(billionths, zeros, like):
    number = Decimal(billionths // 10**zeros * 10**zeros) * NANO
    text = write(number, like)
    assert parse(text) == number
    digits, suffix = text.rstrip("EPTGMkmun"), text.lstrip("-0123456789")
    assert suffix == "E" or like in ("Mi", "e3") or number == 0 or int(digits) % 1000
