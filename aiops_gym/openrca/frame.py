"""Rows as a pandas DataFrame, as `pandas.read_csv` would have read them with ids as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow

if TYPE_CHECKING:
    from aiops_gym.openrca.rows import Rows
    from aiops_gym.openrca.store.texts import Texts

_NUMBERS = {"time": np.int64, "int": np.int64, "float": np.float64}


def read_frame(rows: Rows, limit: int | None = None) -> pd.DataFrame:
    """All rows, or the first `limit`, with the columns and units of the CSV; ids are text."""
    count = rows.count if limit is None else min(limit, rows.count)
    return _few(rows, count) if count < rows.count else _whole(rows)


def _few(rows: Rows, count: int) -> pd.DataFrame:
    columns = rows.table.columns
    found = list(zip(*rows.head(count), strict=True)) or [()] * len(columns)
    return pd.DataFrame(
        {
            column.name: pd.Series(list(values), dtype=_type(column.kind, values))
            for column, values in zip(columns, found, strict=True)
        }
    )


def _type(kind: str, values: Sequence[Any]) -> Any:
    whole = kind != "int" or not any(isinstance(each, float) for each in values)
    return _NUMBERS.get(kind, _text()) if whole else np.float64


def _whole(rows: Rows) -> pd.DataFrame:
    made: dict[str, Any] = {}
    texts = _texts(rows)
    for column in rows.table.columns:
        name = column.name
        if column.kind == "time":
            made[name] = rows.times() // (1000 if rows.table.unit == "s" else 1)
        elif column.kind == "code":
            codes, names = rows.codes(name)
            made[name] = _series(pyarrow.array(names, pyarrow.large_string()).take(pyarrow.array(codes)))
        elif column.kind == "text":
            made[name] = _series(texts[name])
        else:
            values = rows.numbers(name)
            made[name] = values if values.flags.writeable else values.copy()
    return pd.DataFrame(made, copy=False)


def _texts(rows: Rows) -> dict[str, Any]:
    """All text columns as Arrow arrays, in the order of the rows."""
    columns = [column.name for column in rows.table.columns if column.kind == "text"]
    pieces: dict[str, list[Any]] = {name: [] for name in columns}
    if not columns:
        return {}
    for part, at in rows.placed:
        for name, found in _of_part(part.store.texts, columns, at).items():
            pieces[name] += found
    order = None if rows.order is None else pyarrow.array(rows.order)
    # Chunks stay apart: to join them is to write every text twice.
    joined = {name: pyarrow.chunked_array(found, pyarrow.large_string()) for name, found in pieces.items()}
    return joined if order is None else {name: array.take(order) for name, array in joined.items()}


def _of_part(texts: Texts, columns: list[str], at: slice | np.ndarray) -> dict[str, list[Any]]:
    """Text columns of rows of one file; each chunk is unpacked once for all columns."""
    if isinstance(at, slice):
        chunks = texts.stretch(at.start, at.stop)
        return {name: [_array(*chunk[name]).slice(low, high - low) for low, high, chunk in chunks] for name in columns}
    found: dict[str, list[Any]] = {name: [] for name in columns}
    for low, chunk in texts.picked(at):
        places = pyarrow.array(low)
        for name in columns:
            found[name].append(_array(*chunk[name]).take(places))
    return found


def _array(blob: Any, ends: np.ndarray) -> Any:
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(blob)]
    return pyarrow.Array.from_buffers(pyarrow.large_string(), len(ends) - 1, buffers)


def _series(array: Any) -> Any:
    dtype = _text()
    return array.to_pandas() if dtype.kind == "O" and dtype.name == "object" else pd.Series(array, dtype=dtype)


def _text() -> Any:
    """What this version of pandas makes of text in a CSV file."""
    return pd.Series(["a"]).dtype
