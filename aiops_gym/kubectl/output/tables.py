"""Server-side Tables as `kubectl get` prints them: columns chosen and added, several Tables one below the other."""

from __future__ import annotations

from dataclasses import dataclass

from aiops_gym.kubectl.output.table import format_cell, lay_out
from aiops_gym.types import Json


@dataclass(frozen=True, slots=True)
class TableStyle:
    """How tables look: `-o wide`, `--no-headers`, `-A`, prefixed names, `--show-labels`, `-L`."""

    wide: bool = False
    headers: bool = True
    namespaces: bool = False
    kinds: bool = False
    labels: bool = False
    label_columns: tuple[str, ...] = ()


class Tables:
    """Tables of one command; adjacent ones of one kind share their columns and header."""

    def __init__(self, style: TableStyle) -> None:
        self.style = style
        self.parts: list[str] = []
        self.kind = ""
        self.rows: list[list[str]] = []

    def add(self, kind: str, namespaced: bool, table: Json) -> None:
        """Add a Table of a kind (`deployment.apps`)."""
        if kind != self.kind:
            self._flush()
            self.kind = kind
        if not table["rows"]:
            return
        headers, rows = format_lines(self.style, kind, namespaced, table)
        if self.style.headers and not self.rows:
            self.rows.append(headers)
        self.rows += rows

    def text(self) -> str:
        """All of it; a blank line between kinds, if there are headers."""
        self._flush()
        return ("\n" if self.style.headers else "").join(self.parts)

    def _flush(self) -> None:
        if self.rows:
            self.parts.append(lay_out(self.rows))
            self.rows = []


def format_lines(style: TableStyle, kind: str, namespaced: bool, table: Json) -> tuple[list[str], list[list[str]]]:
    """Headers and cells of a Table."""
    definitions = table["columnDefinitions"]
    shown = [at for at, column in enumerate(definitions) if style.wide or not column.get("priority")]
    every = len(shown) == len(definitions)
    headers = [definitions[at]["name"].upper() for at in shown]
    first = next((i for i, at in enumerate(shown) if definitions[at].get("format") == "name"), -1)
    rows = [_texts(row["cells"] if every else [row["cells"][at] for at in shown]) for row in table["rows"]]
    objects = [row["object"] for row in table["rows"]]
    if style.kinds and first >= 0:
        for row in rows:
            row[first] = f"{kind}/{row[first]}"
    if style.namespaces and namespaced:
        headers.insert(0, "NAMESPACE")
        rows = [[obj["metadata"].get("namespace", ""), *row] for obj, row in zip(objects, rows, strict=True)]
    if style.labels or style.label_columns:
        headers += [name.rpartition("/")[2].upper() for name in style.label_columns]
        headers += ["LABELS"] if style.labels else []
        rows = [row + _label_cells(style, obj) for obj, row in zip(objects, rows, strict=True)]
    return headers, rows


def _texts(cells: list[Json]) -> list[str]:
    return [value if type(value) is str and "\n" not in value else format_cell(value) for value in cells]


def _label_cells(style: TableStyle, obj: Json) -> list[str]:
    labels = obj["metadata"].get("labels") or {}
    found = [labels.get(name, "") for name in style.label_columns]
    if style.labels:
        found.append(",".join(f"{name}={labels[name]}" for name in sorted(labels)) or "<none>")
    return found
