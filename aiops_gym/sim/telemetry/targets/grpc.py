"""Programs that speak gRPC and are told to count it: attempts of calls, and requests that wait; names of gRPC's own
plugin for OpenTelemetry (proposals A66 and A96) as its exporter for Prometheus writes them, `queued` ones are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

import numpy as np

from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.families import Column, Family, Kind, Scrape
from aiops_gym.sim.telemetry.processes import describe_go
from aiops_gym.sim.traffic import timeline
from aiops_gym.sim.traffic.queueing import BACKLOG, mean_wait
from aiops_gym.types import Json

Outcome = Mapping[str, Json]
Rates = Callable[[Outcome, int, str], Mapping[tuple[str, str], float]]
"""(outcome, position of the process, its name) -> by callee and status what it does per second."""


def _stretches(scrape: Scrape) -> Iterator[tuple[int, int, Outcome, int]]:
    """Start, end, outcome, and the position of the process that answers in it; without it where it takes no part."""
    if scrape.life is None or not len(scrape.times):
        return
    last, key = int(scrape.times[-1]) + 1, scrape.life.key
    for interval in timeline.list_intervals(scrape.world, scrape.life.started, last):
        if key in (processes := interval.outcome["processes"]):
            yield interval.start, interval.end, interval.outcome, processes.index(key)


def _strains(outcome: Outcome, at: int, name: str) -> Iterator[tuple[str, Mapping[str, float]]]:
    """What a process feels of trying again, by callee; programs of one name share it evenly."""
    alike = sum(process == name for process in outcome["services"])
    for strain, row in outcome.get("strains", {}).items():
        caller, arrow, callee = strain.partition(">")
        if arrow and caller == name == outcome["services"][at]:
            yield callee, {key: row[key] / alike for key in ("asked", "attempts")} | {"fails": row["fails"]}


def _started(outcome: Outcome, at: int, name: str) -> Mapping[tuple[str, str], float]:
    return {(callee, ""): row["attempts"] for callee, row in _strains(outcome, at, name)}


def _ended(outcome: Outcome, at: int, name: str) -> Mapping[tuple[str, str], float]:
    return {
        (callee, status): row["attempts"] * share
        for callee, row in _strains(outcome, at, name)
        for status, share in (("OK", 1.0 - row["fails"]), ("DEADLINE_EXCEEDED", row["fails"]))
    }


def _again(outcome: Outcome, at: int, name: str) -> Mapping[tuple[str, str], float]:
    return {(callee, ""): row["attempts"] - row["asked"] for callee, row in _strains(outcome, at, name)}


def _asked(outcome: Outcome, at: int, name: str) -> Mapping[tuple[str, str], float]:
    return {("", ""): outcome["rps"][at]}


def _counter(name: str, help_: str, rates: Rates) -> Family:
    """What was done since the program started, by callee and how it ended."""

    def read(scrape: Scrape) -> Iterator[Column]:
        found: dict[tuple[str, str], Floats] = {}
        own = str(scrape.life.record["params"].get("name", "")) if scrape.life else ""
        for start, end, outcome, at in _stretches(scrape):
            seconds = (np.clip(scrape.times, start, end) - start) / 1000.0
            for labels, rate in rates(outcome, at, own).items():
                found[labels] = found.get(labels, scrape.constant(0.0)) + seconds * rate
        for (callee, status), amount in found.items():
            told = {"grpc_target": callee, "grpc_status": status}
            yield {key: value for key, value in told.items() if value}, np.floor(np.round(amount, 6))

    return Family(name, "counter", help_, read)


def _wait(outcome: Outcome, at: int) -> float:
    """Mean ms for which a request that comes now waits for its turn, those included that go unserved."""
    wait, slack, loss = outcome["queues"][at]
    return float((1.0 - loss) * wait * mean_wait(slack) + loss * BACKLOG)


def _gauge(name: str, help_: str, read_one: Callable[[Outcome, int], float]) -> Family:
    def read(scrape: Scrape) -> Iterator[Column]:
        column = scrape.constant(0.0)
        for start, end, outcome, at in _stretches(scrape):
            column[(scrape.times >= start) & (scrape.times < end)] = round(read_one(outcome, at), 6)
        yield {}, column

    return Family(name, "gauge", help_, read)


OWN = (
    _counter("grpc_client_attempt_duration_seconds_count", "Attempts of calls that ended, and how", _ended),
    _counter("grpc_client_attempt_started_total", "Attempts of calls", _started),
    _counter("grpc_client_call_retries_total", "Attempts of calls after the first of each", _again),
    _counter("grpc_server_call_started_total", "Calls that came", _asked),
    _gauge("grpc_server_queued_calls", "Calls that wait for their turn",
           lambda outcome, at: outcome["rps"][at] * _wait(outcome, at) / 1000.0),
    _gauge("grpc_server_queued_seconds", "Time that a call waits for its turn",
           lambda outcome, at: _wait(outcome, at) / 1000.0),
)  # fmt: skip
kind = Kind(tuple(sorted(chain(describe_go("go1.21.8"), OWN), key=lambda family: family.name)))
