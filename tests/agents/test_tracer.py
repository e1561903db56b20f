"""The agent tracer: what calls bear out, whose network it is, and when a whole service has failed."""

from __future__ import annotations

import gymnasium as gym
import small_telemetry as small

from aiops_gym.agents.base import make
from aiops_gym.agents.rules.indicators import MINUTE, Evidence
from aiops_gym.agents.rules.systems import market
from aiops_gym.agents.rules.systems.market import CORRUPTION, CPU, LATENCY, LOSS
from aiops_gym.agents.rules.verdict import Suspect
from aiops_gym.agents.tracer.player import (
    MEASURED,
    Moment,
    borne,
    choose_slow,
    decide,
    find_wholes,
    read_moments,
    stop_lasting,
    tell_network,
)
from aiops_gym.openrca import clock
from aiops_gym.openrca.labels import Query, Record, write_queries, write_records
from aiops_gym.openrca.queries import scoring_points
from aiops_gym.runs import run_episode

START = 1_647_712_800
"""A whole half hour, Unix seconds."""


def _at(minutes):
    return START + MINUTE * minutes


def _call(caller, called, *, mean, errors="0", count="100", z="50", minute=3):
    first = clock.show(_at(minute) * 1000) if z else ""
    usual = {"mean_before": "1000", "p95": "2000", "p95_before": "2000", "errors_before": "0"}
    return {
        "caller": caller,
        "called": called,
        "count": count,
        "mean": mean,
        "errors": errors,
        "z": z,
        "first": first,
    } | usual


def test_of_two_that_look_alike_the_one_is_named_that_calls_bear_out():
    evidence = [Evidence(name, CPU, _at(4), 6.0, "cpu") for name in ("frontend-0", "adservice-0")]
    moments = [Moment("frontend-0", "own", 0, 0.0), Moment("adservice-0", "own", _at(4), 3.0)]
    found = decide(evidence, moments, {}, {}, market.knowledge)
    assert [each.component for each in found] == ["adservice-0", "frontend-0"]
    late = [each._replace(time=_at(9)) for each in moments]
    assert len({each.score for each in decide(evidence, late, {}, {}, market.knowledge)}) == 1


def test_what_no_call_bears_out_is_worth_less_where_all_calls_were_looked_at():
    suspect = Suspect("adservice-0", CPU, _at(4), 6.0)
    assert borne(suspect, [], {}).score < borne(suspect, [], {}, alone=0.1).score < 1


def test_the_calls_of_its_minutes_tell_what_ails_a_network():
    evidence = Evidence("adservice-0", LATENCY, _at(3), 5.0, "duration")
    for reason, row in {
        LATENCY: _call("frontend-0", "adservice-0", mean="200000"),
        CORRUPTION: _call("frontend-0", "adservice-0", mean="600000"),
        LOSS: _call("frontend-0", "adservice-0", mean="400000", errors="20"),
    }.items():
        assert tell_network(evidence, {START: [row]}, market.knowledge).reason == reason
        assert tell_network(evidence, {_at(15): [row]}, market.knowledge) == evidence
    other = evidence._replace(reason=CPU)
    assert tell_network(other, {START: [_call("frontend-0", "adservice-0", mean="600000")]}, market.knowledge) == other


def test_a_service_is_named_before_its_pods_where_most_of_them_show_the_same():
    pods = market.knowledge.members["adservice"]
    said = [Suspect(pod, CPU, _at(4), score) for pod, score in zip(pods, (5.0, 0.5, 0.4, 0.2), strict=True)]
    (whole,) = find_wholes(said[:3], market.knowledge.members)
    assert whole.component == "adservice"
    assert whole.score > 5.0
    assert not list(find_wholes(said[:2], market.knowledge.members))
    apart = [each._replace(time=_at(4 + 8 * at)) for at, each in enumerate(said)]
    assert not list(find_wholes(apart, market.knowledge.members))


def test_what_goes_on_from_the_slice_before_says_of_no_beginning():
    row = {"component": "adservice-0", "z": "9", "first": clock.show(_at(5) * 1000)}
    before = {("adservice-0",)}
    assert read_moments(stop_lasting([row], "own", _at(5), before), "own 5") == [Moment("adservice-0", "own 5", 0, 0.0)]
    for rows in (stop_lasting([row], "own", _at(5), set()), stop_lasting([row], "own", _at(0), before)):
        assert read_moments(rows, "own 5")[0].strength > 0


def test_those_are_measured_whose_own_calls_began_to_be_slow_the_slowest_first():
    moments = [
        Moment("adservice-0", "own 5", _at(5), 1.0),
        Moment("adservice-0", "own 10", _at(12), 3.0),
        Moment("frontend-0", "own 5", _at(6), 2.0),
        Moment("cartservice-0", "call 5", _at(5), 9.0),  # of one of two, which is not known
        Moment("cartservice-1", "own 5", 0, 0.0),
        Moment("JDBC", "operation 5", _at(5), 9.0),  # no component
    ]
    pods = [f"{name}-{number}" for name in ("adservice", "frontend", "cartservice") for number in (0, 1)]
    assert choose_slow(moments, pods) == [moments[1], moments[2]]
    many = [Moment(pod, "own 5", _at(5), 1.0) for pod in (f"adservice-{number}" for number in range(30))]
    assert len(choose_slow(many, [each.name for each in many])) == MEASURED


def test_it_plays_a_bank_to_the_end_and_looks_closely_at_its_suspects(tmp_path):
    small.bank(tmp_path)
    records = (Record("pod", "Tomcat01", small.minute(71), "high CPU usage"),)
    write_records(tmp_path / "Bank", small.BANK, records)
    find = "occurred. Find the component, the reason and the exact time."
    text = f"On March 4, 2021, from 01:00 to 01:30, one failure {find}"
    write_queries(tmp_path / "Bank", [Query("task_7", text, scoring_points(records, ("time", "component", "reason")))])
    env = gym.make("aiops_gym/OpenRCABank-v0", root=str(tmp_path), tools="all")
    episode = run_episode(env, make("tracer", env), seed=1)
    looks = [step["action"] for step in episode.steps if 'by="own", component=' in step["action"].replace("'", '"')]
    assert looks
    assert not episode.agent_error and episode.submitted
