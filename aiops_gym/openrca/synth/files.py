"""CSV files from columns: whole blocks are joined as text at once, and a file is there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aiops_gym.openrca.model import Table
from aiops_gym.openrca.synth.model import Block

_SPECIAL = '[",\\n\\r]'


class Coded(NamedTuple):
    """A column of few different texts: an index into them for each row."""

    codes: np.ndarray
    names: Sequence[str]


def write(path: Path, table: Table, blocks: Iterable[Block]) -> int:
    """Write a table's file, block by block. Returns the number of rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with path.open("wb") as file:
        file.write((",".join(table.names) + "\n").encode())
        for block in blocks:
            if len(block) != len(table.columns):
                raise ValueError(f"{table.path} has {len(table.columns)} columns, not {len(block)}")
            lines = pc.binary_join_element_wise(*map(_text, block), ",")
            if len(lines):
                file.write(_joined(lines))
                file.write(b"\n")
            count += len(lines)
    return count


def fixed(values: np.ndarray, decimals: int) -> pa.Array:
    """Numbers with a fixed number of decimals.

    >>> fixed(np.array([59, 0.0229544]), 6).to_pylist()
    ['59.000000', '0.022954']
    """
    return pa.array(np.round(values, decimals)).cast(pa.decimal128(38, decimals), safe=False).cast(pa.string())


def _joined(lines: pa.Array) -> Any:
    whole = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
    return pc.binary_join(whole, "\n")[0].as_buffer()


def _text(column: Any) -> pa.Array:
    if isinstance(column, Coded):
        names = pa.array([_quoted(name) for name in column.names], pa.string())
        return names.take(pa.array(column.codes))
    if isinstance(column, np.ndarray):
        return _floats(column) if column.dtype.kind == "f" else pa.array(column).cast(pa.string())
    special = pc.match_substring_regex(column, _SPECIAL)
    if not pc.any(special).as_py():
        return column
    quoted = pc.binary_join_element_wise('"', pc.replace_substring(column, '"', '""'), '"', "")
    return pc.if_else(special, quoted, column)


def _floats(column: np.ndarray) -> pa.Array:
    """As people write them, whole ones with `.0`, none as an empty field."""
    text = pa.array(column).cast(pa.string())
    whole = np.isfinite(column) & (column == np.rint(column)) & (np.abs(column) < 1e15)
    if whole.any():  # through integers: arrow writes large floats with an exponent
        digits = pa.array(np.where(whole, column, 0.0).astype(np.int64)).cast(pa.string())
        text = pc.if_else(pa.array(whole), pc.binary_join_element_wise(digits, "", ".0"), text)
    missing = np.isnan(column)
    return pc.if_else(pa.array(missing), "", text) if missing.any() else text


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(letter in name for letter in '",\n\r') else name
