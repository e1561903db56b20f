"""Which of many like cases `make test` plays; `make test-all` plays the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def some(cases: Iterable[Any], one_in: int) -> list[Any]:
    """The cases for `parametrize` with one name: one in so many as it is, the others marked `full`."""
    return some_rows(((case,) for case in cases), one_in)


def some_rows(rows: Iterable[Sequence[Any]], one_in: int) -> list[Any]:
    """Likewise for `parametrize` with several names: a row has a value for each."""
    return [pytest.param(*row, marks=pytest.mark.full if place % one_in else ()) for place, row in enumerate(rows)]
