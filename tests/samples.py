"""Which of many like cases `make test` plays; `make test-all` plays the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some(cases: Iterable[Any], one_in: int) -> list[Any]:
    """The cases for `parametrize`: one in so many as it is, the others marked `full`."""
    return [
        case if place % one_in == 0 else pytest.param(case, marks=pytest.mark.full) for place, case in enumerate(cases)
    ]
