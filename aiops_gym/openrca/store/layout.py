"""What lies in the folder of a converted file, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import NamedTuple

import orjson

from aiops_gym.openrca.model import Table

VERSION = 3
"""Of the format; another one converts anew."""

NUMBERS, TEXTS, ALL = "numbers", "texts", "meta.json"
"""Columns of numbers and the index of the chunks; chunks of texts; the description, written last."""


KEY = "#key"
"""The column beside those of the table: what the rows are sorted by."""


class Place(NamedTuple):
    """Where a column of numbers lies."""

    dtype: str
    offset: int


@dataclass(frozen=True, kw_only=True)
class Meta:
    """Description of a converted file.

    Attributes:
        base: Unix milliseconds from which times are counted: the first of the file.
        last: the last time.
        step: milliseconds in which times are counted in keys.
        shift: bits of a time in the key of a series-major file; the bits above are the series.
        columns: of numbers. `#key` sorts the file: the time, or series and time.
        names: of each code column, sorted.
        series: of each series its component and KPI (places in `names`) and first row; None for other files.
        texts: columns of text.
        index: offset and length of the chunks' index.
        sizes: bytes of the other files.
        sums: of the blocks of NUMBERS, see `checks`; those of the chunks of texts stand in their index.
        odd: what could not be read of the file as it should be, see `Oddities.found`.
    """

    rows: int
    base: int
    last: int
    step: int
    shift: int
    columns: Mapping[str, Place]
    names: Mapping[str, list[str]]
    series: Mapping[str, list[int]] | None
    texts: tuple[str, ...]
    index: tuple[int, int]
    sizes: Mapping[str, int]
    sums: list[int]
    odd: Mapping[str, tuple[int, str]]

    def pack(self) -> bytes:
        """As the bytes of a file: JSON behind its own digest."""
        told = orjson.dumps({**asdict(self), "columns": {name: list(place) for name, place in self.columns.items()}})
        return _digest(told) + told

    @classmethod
    def unpack(cls, packed: bytes) -> Meta:
        """From the bytes of a file. Raises Damaged for bytes that are not those that were written."""
        told = packed[_DIGEST:]
        if packed[:_DIGEST] != _digest(told):
            raise Damaged("the description is not as it was written")
        data = orjson.loads(told)
        places = {name: Place(*place) for name, place in data["columns"].items()}
        odd = {what: (count, first) for what, (count, first) in data["odd"].items()}
        return cls(
            **{**data, "columns": places, "texts": tuple(data["texts"]), "index": tuple(data["index"]), "odd": odd}
        )


_DIGEST = 32
"""Bytes."""


def _digest(told: bytes) -> bytes:
    return blake2b(told, digest_size=_DIGEST // 2).hexdigest().encode()


class Damaged(Exception):
    """Files that are not as they were written."""


def is_series_major(table: Table) -> bool:
    """Whether the rows are sorted by series first. Measurements are asked for by series, or for all series at once."""
    return table.modality == "metric" and all(column.kind != "text" for column in table.columns)
