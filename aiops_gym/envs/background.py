"""What a prompt about recorded telemetry may tell beside the question: the files, and samples of measurements.

The variants are those of OpenRCA's baselines: a schema of the telemetry for agents that call tools, and for models that
only read, each measurement once a minute, of the KPIs that the authors take for decisive ("oracle"), or of as many that
are spread evenly over all there are ("balanced"). None of them depends on the answer.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aiops_gym.openrca import clock
from aiops_gym.openrca.model import Domain, Table
from aiops_gym.openrca.problems import Problem
from aiops_gym.openrca.recording import Recording
from aiops_gym.openrca.summaries.deviations import list_quantities
from aiops_gym.tools.recorded import page

PLAIN, SCHEMA, ORACLE, BALANCED = "plain", "schema", "oracle", "balanced"
PROMPTS = (PLAIN, SCHEMA, ORACLE, BALANCED)

ROOM = 30_000
"""Characters of samples at most: with more minutes than fit, a sample is the mean of several."""

STEPS = (1, 2, 3, 5, 10, 15, 30)
"""Minutes of a sample, the first of these that fits."""

MINUTE = 60_000

Sampled = list[tuple[str, str, np.ndarray]]
"""Component, KPI, and the mean of each minute; NaN where there is none."""


def describe(domain: Domain, recording: Recording, problem: Problem, prompt: str) -> dict[str, str]:
    """Sections of the prompt by their headings; none for a plain one."""
    if prompt == PLAIN:
        return {}
    sections = {"TELEMETRY": "\n".join(f"- {_file(table)}" for table in domain.tables)}
    if prompt != SCHEMA:
        tables = [table for table in domain.tables if table.modality == "metric"]
        found = [row for table in tables for row in _samples(recording, table, problem, _chosen(domain, prompt))]
        sections["SAMPLED MEASUREMENTS"] = _printed(_thinned(found, domain, prompt), problem)
    return sections


def _file(table: Table) -> str:
    columns = ", ".join(f"{column.name} ({column.about})" for column in table.columns)
    return f"{table.path}: {table.about} Columns: {columns}."


def _chosen(domain: Domain, prompt: str) -> tuple[str, ...] | None:
    """Parts of KPI names that are taken; None for all."""
    return domain.decisive if prompt == ORACLE else None


def _samples(
    recording: Recording, table: Table, problem: Problem, kpis: tuple[str, ...] | None
) -> Iterator[tuple[str, str, np.ndarray]]:
    series = recording.rows(table, problem.start, problem.end).grouped()
    minutes = (problem.end - problem.start) // MINUTE + 1
    for quantity in list_quantities(table) or ("value",):
        values = series.numbers(quantity)
        for at, (first, last) in enumerate(zip(series.bounds[:-1].tolist(), series.bounds[1:].tolist(), strict=True)):
            name = series.kpis[at] if table.kpi else quantity
            if kpis is not None and table.kpi and not any(each in name for each in kpis):
                continue
            slots = (series.times[first:last] - problem.start) // MINUTE
            known = ~np.isnan(values[first:last])
            counts = np.bincount(slots[known], minlength=minutes)
            sums = np.bincount(slots[known], values[first:last][known], minutes)
            with np.errstate(invalid="ignore"):
                yield series.components[at], name, sums / counts


def _thinned(found: Sampled, domain: Domain, prompt: str) -> Sampled:
    """Of balanced samples as many series as the oracle's list would give, evenly over all: by component and KPI."""
    known = [each for each in found if not np.isnan(each[2]).all()]
    if prompt == ORACLE:
        return known
    wanted = sum(any(part in kpi for part in domain.decisive) for _, kpi, _ in known)
    places: list[int] = (
        np.unique(np.linspace(0, len(known) - 1, max(1, wanted)).round().astype(int)).tolist() if known else []
    )
    return [known[at] for at in places]


def _printed(found: Sampled, problem: Problem) -> str:
    """A table of series by minutes, as fine as there is room for."""
    text = ""
    for step in STEPS:
        starts = range(0, len(found[0][2]) if found else 0, step)
        heads = [clock.show(problem.start + at * MINUTE)[11:16] for at in starts]
        lines = [page.line(("component", "kpi", *heads))]
        for component, kpi, values in found:
            lines.append(page.line((component, kpi, *(page.number(_mean(values[at : at + step]), 3) for at in starts))))
        text = "\n".join([f"Means of {step} min, by the minute in UTC+8 at which each begins:", *lines])
        if len(text) <= ROOM:
            return text
    kept = text[:ROOM].rpartition("\n")[0]
    return f"{kept}\n# {text[len(kept) :].count(chr(10)):,} series left out."


def _mean(values: np.ndarray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
