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
            made[name] = rows.numbers(name)
    return pd.DataFrame(made)


def _texts(rows: Rows) -> dict[str, Any]:
    """All text columns as Arrow arrays, in the order of the rows."""
    columns = [column.name for column in rows.table.columns if column.kind == "text"]
    pieces: dict[str, list[Any]] = {name: [] for name in columns}
    if not columns:
        return {}
    for part, at in rows.placed:
        for name, piece in zip(columns, _of_part(part.store.texts, columns, part.store.text_rows(at)), strict=True):
            pieces[name].append(piece)
    order = None if rows.order is None else pyarrow.array(rows.order)
    joined = {
        name: pyarrow.concat_arrays([*pieces[name], pyarrow.array([], pyarrow.large_string())]) for name in columns
    }
    return joined if order is None else {name: array.take(order) for name, array in joined.items()}


def _of_part(texts: Texts, columns: list[str], at: np.ndarray) -> list[Any]:
    """Text columns of rows of one file; each chunk is unpacked once for all columns."""
    found: list[list[Any]] = [[] for _ in columns]
    seen = []
    for low, places, chunk in texts.chunks(at):
        seen.append(places)
        whole = len(low) == len(chunk[columns[0]][1]) - 1 and bool((np.diff(low) == 1).all())
        for pieces, name in zip(found, columns, strict=True):
            blob, ends = chunk[name]
            buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(blob)]
            array = pyarrow.Array.from_buffers(pyarrow.large_string(), len(ends) - 1, buffers)
            pieces.append(array if whole else array.take(pyarrow.array(low)))
    order = np.argsort(np.concatenate(seen)) if seen else np.empty(0, np.int64)
    empty = pyarrow.array([], pyarrow.large_string())
    joined = [pyarrow.concat_arrays([*pieces, empty]) for pieces in found]
    if bool((np.diff(order) == 1).all()):
        return joined
    return [array.take(pyarrow.array(order)) for array in joined]


def _series(array: Any) -> Any:
    dtype = _text()
    return array.to_pandas() if dtype.kind == "O" and dtype.name == "object" else pd.Series(array, dtype=dtype)


def _text() -> Any:
    """What this version of pandas makes of text in a CSV file."""
    return pd.Series(["a"]).dtype
