"""Rows as a pandas DataFrame, as `pandas.read_csv` would have read them with ids as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from aiops_gym.openrca.rows import Rows


def frame(rows: Rows, count: int) -> pd.DataFrame:
    """The first rows, with the columns and units of the CSV."""
    if count < rows.count:
        return _few(rows, count)
    made: dict[str, Any] = {}
    for column in rows.table.columns:
        if column.kind == "time":
            made[column.name] = rows.times() // (1000 if rows.table.unit == "s" else 1)
        elif column.kind == "code":
            codes, names = rows.codes(column.name)
            made[column.name] = pd.Series(np.array([*names, ""], object)[codes], dtype=_text())
        elif column.kind == "text":
            made[column.name] = pd.Series(rows.texts(column.name), dtype=_text())
        else:
            made[column.name] = rows.numbers(column.name)
    return pd.DataFrame(made)


def _few(rows: Rows, count: int) -> pd.DataFrame:
    found = list(zip(*rows.head(count), strict=True)) or [()] * len(rows.table.columns)
    types = {"time": np.int64, "int": np.int64, "float": np.float64}
    columns = rows.table.columns
    return pd.DataFrame(
        {
            column.name: pd.Series(list(values), dtype=types.get(column.kind, _text()))
            for column, values in zip(columns, found, strict=True)
        }
    )


def _text() -> Any:
    """What this version of pandas makes of text in a CSV file."""
    return pd.Series(["a"]).dtype
