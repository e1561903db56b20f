"""Writes what the getters of a data set return, in place of `<!-- tables of bank -->`.

They are made from the tables' columns when the package is imported, where a reader of sources does not see them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from aiops_gym.openrca import BankDataset, MarketDataset, TelecomDataset

SETS = {"bank": BankDataset, "market": MarketDataset, "telecom": TelecomDataset}
MARK = re.compile(r"<!-- tables of (\w+) -->")
COLUMN = re.compile(r"^    (\w+): (.+)$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for each page."""
    return MARK.sub(lambda found: "\n\n".join(_methods(SETS[found[1]])), markdown)


def _methods(dataset: type) -> Iterator[str]:
    for name, method in vars(dataset).items():
        if name.startswith("get_"):
            given = list(inspect.signature(method).parameters)[1:]
            about, _, rest = (inspect.getdoc(method) or "").partition("\n")
            returns = rest.partition("Returns:")[2].partition("Raises:")[0]
            rows = [f"| `{column}` | {text} |" for column, text in COLUMN.findall(returns.partition(":")[2])]
            table = "\n".join(["| column | |", "|---|---|", *rows])
            yield f"#### `{name}`\n\n```python\n{name}({', '.join(given)})\n```\n\n{about}\n\n{table}"
