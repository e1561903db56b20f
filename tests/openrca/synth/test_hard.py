"""The profile `hard`: decoys beside each failure, felt by calls or measured, never both; and causal graphs."""

from __future__ import annotations

import json

import pytest

from aiops_gym.openrca import causes, domains
from aiops_gym.openrca.synth.causes import trace_graph
from aiops_gym.openrca.synth.hard import CLEAR, COMMON, DECOYS, IDLE
from aiops_gym.openrca.synth.job import Job

SYSTEMS = [("bank", ""), ("telecom", ""), ("market", "cloudbed-1")]


@pytest.fixture(scope="module", params=SYSTEMS, ids=lambda each: each[0])
def job(request):
    name, cloudbed = request.param
    return Job(domains.find(name)[0], cloudbed, days=2, scale=0.002, seed=4, profile="hard")


def test_each_failure_is_felt_by_calls_and_measured(job):
    for failure in job.failures:
        assert job.world.felt(failure.component)
        assert job.world.reasons[failure.reason].calls
    both = sum({"metric", "trace"} <= failure.shown for failure in job.failures)
    assert both > 0.8 * len(job.failures)


def test_decoys_show_in_one_place_only_and_apart_from_what_would_bear_them_out(job):
    assert len(job.decoys) > 5 * len(job.failures)
    for decoy in job.decoys:
        assert len(decoy.shown) == 1 and decoy.shown <= set(DECOYS)
        mine = {decoy.component, *job.world.felt(decoy.component)}
        for other in (*job.failures, *job.decoys):
            if other is not decoy and abs(other.onset - decoy.onset) < CLEAR:
                assert not mine & {other.component, *job.world.felt(other.component)}


def test_what_failed_has_the_trouble_of_its_kind_where_no_call_passes(job):
    idle = [each for each in job.decoys if not job.world.felt(each.component)]
    kinds = {"bank": set(), "telecom": {"db_", "os_"}, "market": {"node-"}}[job.domain.name]
    mine = [each for each in job.failures if each.component.rstrip("0123456789") in kinds]
    assert bool(mine) == bool(kinds)
    assert 0.9 * IDLE * len(mine) <= len(idle) <= IDLE * len(mine)
    for each in idle:
        near = [other for other in mine if other.reason == each.reason and abs(other.onset - each.onset) < 3600]
        assert near and each.shown == {"metric"}


def test_no_reason_is_so_frequent_that_to_name_it_always_pays(job):
    sums = [sum(where.values()) for where in job.world.profile.hits.values()]
    assert max(sums) <= (COMMON + 1e-9) * sum(sums)


def test_decoys_are_as_strong_as_failures(job):
    strengths = [sum(each.intensity for each in found) / len(found) for found in (job.failures, job.decoys)]
    assert strengths[1] == pytest.approx(strengths[0], abs=0.75 / len(job.failures) ** 0.5)  # three standard errors


def test_the_profile_easy_has_no_decoys(job):
    easy = Job(job.domain, job.cloudbed, days=2, scale=0.002, seed=4)
    assert not easy.decoys and not easy.day(easy.dates[0]).hard


def test_a_graph_leads_from_the_cause_to_an_entry(job):
    entries = {name for operation in job.world.operations for name in operation.call.at}
    for failure in job.failures:
        graph = trace_graph(job.world, failure)
        assert failure.component in graph.nodes and entries & set(graph.nodes)
        assert all(one in graph.nodes and other in graph.nodes for one, other in graph.edges)
        assert causes.judge_path([list(edge) for edge in graph.edges], graph)["edge_f1"] == 1.0


def test_graphs_are_kept_beside_the_records(job, tmp_path):
    graphs = [trace_graph(job.world, each) for each in job.failures]
    causes.write_causes(tmp_path, graphs)
    assert causes.read_causes(tmp_path) == tuple(graphs)
    assert len(json.loads((tmp_path / causes.CAUSES).read_text())) == len(job.records)
    assert causes.read_causes(tmp_path / "nowhere") == ()
    assert causes.judge_path("no path", graphs[0]) == {"node_f1": 0.0, "edge_f1": 0.0}
