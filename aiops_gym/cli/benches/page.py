"""The page of the documentation with what was measured: a section a subject, of which one is written at a time."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import aiops_gym

TITLES = {
    "incidents": "Live incidents",
    "openrca": "Recorded telemetry",
    "vectors": "Many environments",
    "sessions": "Sessions over HTTP",
}

ABOUT = """\
# How fast it is

Written by `aiops-gym bench --write docs/benchmark.md`, and with `bench openrca`, `bench vectors` and
`bench sessions --envs 1000`; do not edit. Medians of one run each. A ratio compares two things of the same run, so it
carries over to other machines better than a time does.
"""


def rewrite_page(old: str, subject: str, report: Mapping[str, Any]) -> str:
    """The page with one section written anew.

    Args:
        old: the page as it was, empty at first; the sections of other subjects stay.
        subject: what was measured, a key of `TITLES`.
        report: what was found by name; a dict in it is a table of its own.
    """
    title = TITLES[subject]
    kept = {each.partition("\n")[0]: each for each in old.split("\n## ")[1:]}
    kept[title] = f"{title}\n\n{_where()}\n\n{_tables(report)}"
    parts = [kept[each].rstrip() for each in TITLES.values() if each in kept]
    return "\n## ".join([ABOUT, *(f"{part}\n" for part in parts)])


def _where() -> str:
    """On what it was measured, as far as a reader can compare it."""
    versions = f"aiops_gym {aiops_gym.__version__}, Python {platform.python_version()}, NumPy {version('numpy')}"
    return f"{versions}, {platform.system()} on {platform.machine()} with {os.cpu_count()} processors."


def _tables(report: Mapping[str, Any]) -> str:
    plain = {name: value for name, value in report.items() if not isinstance(value, Mapping)}
    parts = [_table("what", plain)]
    parts += [_table(name, value) for name, value in report.items() if isinstance(value, Mapping)]
    return "\n\n".join(parts)


def _table(name: str, rows: Mapping[str, float]) -> str:
    lines = [f"| {_cell(each)} | {format_number(value)} |" for each, value in rows.items()]
    return "\n".join([f"| {name} | measured |", "|---|---:|", *lines])


def _cell(text: str) -> str:
    """A name as it can stand in a table; commands hold pipes."""
    return text.replace("|", "\\|")


def format_number(value: float) -> str:
    """A figure for people.

    >>> format_number(1784.7), format_number(0.036)
    ('1,785', '0.04')
    """
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"
