"""A selection of rows, read as far as it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from aiops_gym.errors import CatalogError
from aiops_gym.openrca.model import Column, Table
from aiops_gym.openrca.store.order import sort_stably, sort_within
from aiops_gym.openrca.store.parts import Part, Positions, Samples

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Grouped:
    """Measurements series by series, each in the order of time.

    Attributes:
        components, kpis: of each series, sorted by both; KPIs are "" in tables without them.
        bounds: first row of each series in `times` and `numbers`, and their length at the end.
        times: Unix milliseconds.
    """

    components: list[str]
    kpis: list[str]
    bounds: np.ndarray
    times: np.ndarray
    _rows: Rows
    _places: list[np.ndarray]
    _order: np.ndarray | None

    def numbers(self, column: str) -> np.ndarray:
        """Values of a column of numbers, NaN where there is none."""
        values = self._rows.numbers_at(column, self._places)
        return values if self._order is None else values[self._order]


class Rows:
    """Rows in the order of time, ties in the order of the file; measurements by time, component and KPI.

    Attributes:
        count: how many there are.
    """

    def __init__(self, table: Table, parts: Sequence[Part]) -> None:
        self.table, self.parts = table, tuple(parts)
        self.count: int = sum(part.count for part in parts)

    def __len__(self) -> int:
        return self.count

    # --- a few rows ---

    def head(self, count: int) -> list[tuple[Any, ...]]:
        """The first rows, all columns as in the CSV."""
        pieces = [part.first(count) for part in self.parts]
        return self._tuples(pieces)[:count]

    def tail(self, count: int) -> list[tuple[Any, ...]]:
        """The last rows, all columns as in the CSV."""
        pieces = [part.last(count) for part in self.parts]
        found = self._tuples(pieces)
        return found[max(0, len(found) - count) :]

    def _tuples(self, pieces: list[Positions]) -> list[tuple[Any, ...]]:
        order = self._merged(pieces)
        columns = [self._plain(column, pieces) for column in self.table.columns]
        found = list(zip(*columns, strict=True))
        return found if order is None else [found[place] for place in order.tolist()]

    def _plain(self, column: Column, pieces: list[Positions]) -> list[Any]:
        """Python values of a column, part by part."""
        made: list[Any] = []
        for part, at in zip(self.parts, pieces, strict=True):
            if column.kind == "time":
                made += (part.times(at) // (1000 if self.table.unit == "s" else 1)).tolist()
            elif column.kind == "code":
                known = part.store.names(column.name)
                made += [known[code] for code in part.codes(column.name, at).tolist()]
            elif column.kind == "text":
                made += part.store.texts.read(column.name, at)
            else:
                made += _as_written(column.kind, part.store.column(column.name, at).tolist())
        return made

    # --- whole columns ---

    def times(self) -> np.ndarray:
        """Unix milliseconds, int64."""
        return self._joined([part.times(at) for part, at in self.placed], np.int64)

    def numbers(self, column: str) -> np.ndarray:
        """Values of a column of numbers: int64, or float64 with NaN where there is none, see `_number`."""
        dtype = self._number(column)
        return self._joined([part.store.column(column, at) for part, at in self.placed], dtype)

    def pieces(self, number: str, code: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """Values of two columns in the order of the parts, as narrow as they are stored: for sums, which need no order.

        Args:
            number: a column of numbers.
            code: a code column; the list of its names comes last.
        """
        self._kind(number, ("int", "float"))
        known, tables = self._names(code)
        values = [part.store.column(number, at) for part, at in self.placed]
        codes = [part.codes(code, at) for part, at in self.placed]
        if len(codes) == 1:
            return values[0], codes[0], known
        moved = [table[each] for table, each in zip(tables, codes, strict=True)]
        return np.concatenate([np.empty(0, np.int32), *values]), np.concatenate([np.empty(0, np.intp), *moved]), known

    def codes(self, column: str) -> tuple[np.ndarray, list[str]]:
        """Values of a code column: their places in a sorted list of names (some may not occur), and that list."""
        self._kind(column, ("code",))
        known, tables = self._names(column)
        found = [part.codes(column, at) for part, at in self.placed]
        if len(found) > 1:
            found = [table[codes] for table, codes in zip(tables, found, strict=True)]
        return self._joined(found, np.int64), known

    def texts(self, column: str, at: Sequence[int] | np.ndarray | None = None) -> list[str]:
        """Values of a code or text column: of all rows, or of some by their places."""
        if self._kind(column, ("code", "text")) == "code":
            codes, known = self.codes(column)
            return [known[code] for code in (codes if at is None else codes[np.asarray(at, np.int64)]).tolist()]
        places = np.arange(self.count) if at is None else np.asarray(at, np.int64)
        if self.order is not None:
            places = self.order[places]
        return self._texts(column, places)

    def _texts(self, column: str, places: np.ndarray) -> list[str]:
        """Texts of rows by their places in the parts laid end to end."""
        made = np.empty(len(places), object)
        begin = 0
        for part, at in self.placed:
            mine = np.flatnonzero((places >= begin) & (places < begin + part.count))
            some = places[mine] - begin
            made[mine] = part.store.texts.read(column, at.start + some if isinstance(at, slice) else at[some])
            begin += part.count
        return list(made)

    def grouped(self) -> Grouped:
        """Measurements series by series, without sorting them by time first.

        Raises:
            CatalogError: the table has no measurements.
        """
        parts = [part for part in self.parts if isinstance(part, Samples)]
        if len(parts) != len(self.parts):
            raise CatalogError(f"{self.table.name} has no series")
        places = [part.grouped for part in parts]
        times = [part.times(at) for part, at in zip(parts, places, strict=True)]
        pairs = [self._series(part) for part in parts]
        if len(parts) == 1:
            known, order = pairs[0], None
            lengths = parts[0].stops - parts[0].starts
        else:
            known = sorted(set().union(*pairs))
            order, lengths = _regrouped(known, pairs, parts, times)
        joined = np.concatenate(times) if times else np.empty(0, np.int64)
        bounds = np.concatenate(([0], np.cumsum(lengths)))
        names = [list(column) for column in zip(*known, strict=True)] or [[], []]
        return Grouped(names[0], names[1], bounds, joined if order is None else joined[order], self, places, order)

    def _series(self, part: Samples) -> list[tuple[str, str]]:
        series, table = part.store.series, self.table
        components = part.store.names(table.component)
        kpis = part.store.names(table.kpi) if table.kpi else [""]
        pairs = zip(series.components[part.which].tolist(), series.kpis[part.which].tolist(), strict=True)
        return [(components[component], kpis[kpi]) for component, kpi in pairs]

    def numbers_at(self, column: str, places: Sequence[Positions]) -> np.ndarray:
        """Values of a column of numbers at positions of the parts, part by part."""
        dtype = self._number(column)
        found = [part.store.column(column, at) for part, at in zip(self.parts, places, strict=True)]
        return np.concatenate(found).astype(dtype, copy=False) if found else np.empty(0, dtype)

    # --- order among files ---

    @cached_property
    def placed(self) -> list[tuple[Part, Positions]]:
        """Each part with the positions of its rows, in order."""
        return [(part, part.all()) for part in self.parts]

    @cached_property
    def order(self) -> np.ndarray | None:
        """The permutation that sorts the parts laid end to end; None when they follow each other."""
        return self._merged([at for _, at in self.placed])

    def _merged(self, pieces: Sequence[Positions]) -> np.ndarray | None:
        """The permutation that sorts pieces of the parts, each in order, laid end to end."""
        if len(self.parts) < 2:
            return None
        times = [part.times(at) for part, at in zip(self.parts, pieces, strict=True)]
        edges = [(each[0], each[-1]) for each in times if len(each)]
        if all(before[1] < after[0] for before, after in pairwise(edges)):
            return None
        joined = np.concatenate(times)
        if not isinstance(self.parts[0], Samples):
            return sort_stably(joined)
        keys = [joined]
        for column in (self.table.component, self.table.kpi):
            if column:
                tables = self._names(column)[1]
                found = [part.codes(column, at) for part, at in zip(self.parts, pieces, strict=True)]
                keys.append(np.concatenate([table[codes] for table, codes in zip(tables, found, strict=True)]))
        return np.lexsort(keys[::-1])

    def _names(self, column: str) -> tuple[list[str], list[np.ndarray]]:
        """Names of a code column in all parts, and for each part the places of its own names among them."""
        own = [part.store.names(column) for part in self.parts]
        if len(own) == 1:
            return own[0], []
        known = sorted(set().union(*own))
        place = {name: number for number, name in enumerate(known)}
        return known, [np.array([place[name] for name in each], np.int64) for each in own]

    def _joined(self, found: Sequence[np.ndarray], dtype: Any) -> np.ndarray:
        if not found:
            return np.empty(0, dtype)
        whole = found[0] if len(found) == 1 else np.concatenate(found)
        return (whole if self.order is None else whole[self.order]).astype(dtype, copy=False)

    def _number(self, name: str) -> Any:
        """What a column's values are given as; integers are floats where a file has other numbers, or none, in it."""
        whole = self._kind(name, ("int", "float")) == "int"
        return np.int64 if whole and all(part.store.kind(name).kind == "i" for part in self.parts) else np.float64

    def _kind(self, name: str, kinds: Sequence[str]) -> str:
        for column in self.table.columns:
            if column.name == name and column.kind in kinds:
                return column.kind
        known = ", ".join(column.name for column in self.table.columns if column.kind in kinds) or "none"
        raise CatalogError(f"{self.table.name} has no such column {name!r} here; there are: {known}")


def _as_written(kind: str, values: list[Any]) -> list[Any]:
    """Values with the whole ones of an integer column as integers."""
    if kind != "int":
        return values
    return [int(each) if isinstance(each, float) and each.is_integer() else each for each in values]


def _regrouped(
    known: list[tuple[str, str]],
    pairs: Sequence[list[tuple[str, str]]],
    parts: Sequence[Samples],
    times: Sequence[np.ndarray],
) -> tuple[np.ndarray | None, np.ndarray]:
    """The permutation that brings the series of several days together, and the length of each."""
    if not parts:
        return None, np.empty(0, np.int64)
    number = {pair: place for place, pair in enumerate(known)}
    series = np.concatenate(
        [
            np.repeat([number[pair] for pair in mine], part.stops - part.starts)
            for mine, part in zip(pairs, parts, strict=True)
        ]
    )
    return sort_within(series, np.concatenate(times)), np.bincount(series, minlength=len(known))
