"""`doctor --context` and `parity`, on a served cluster."""

from __future__ import annotations

import json

import pytest
from served import Served, serve

from aiops_gym.backends.baseline import apply
from aiops_gym.backends.kubernetes.lacks import look
from aiops_gym.backends.kubernetes.settings import Settings
from aiops_gym.catalog import registry
from aiops_gym.cli import run
from aiops_gym.cli.parity import Played, compare, make_table


@pytest.fixture
def served():
    with serve("hotel_reservation") as made:
        yield made


def test_the_doctor_says_what_a_cluster_lacks_and_how_to_add_it(served: Served, capsys) -> None:
    code = run(["doctor", "--context", served.context, "--kubeconfig", served.cluster["kubeconfig"], "--json"])
    found = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
    assert code == 0, found
    assert {name for name, each in found.items() if each["lacks"]} == {"chaos-mesh", "jaeger"}
    assert "helm install chaos-mesh" in found["chaos-mesh"]["lacks"]
    assert not any(each["lacks"] for each in found.values() if each["needed"])


@pytest.mark.full
def test_the_doctor_names_workloads_of_others(served: Served) -> None:
    pod = {"containers": [{"name": "one", "image": "busybox:1.36", "command": ["sleep", "3600"]}]}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "precious", "namespace": "default"}, "spec": pod}
    served.door.call(lambda world: apply(world, body))
    given = {key: served.cluster[key] for key in ("kubeconfig", "clock", "clock_token")}
    found = {each.name: each for each in look(Settings(context=served.context, **given))}
    assert "default/precious" in found["room"].lacks and found["room"].needed


@pytest.mark.full
def test_parity_plays_four_answers_on_both_and_writes_a_table(served: Served) -> None:
    problem = registry.find_problem("wrong_bin_usage-mitigation-1")
    rows = list(compare(problem, served.context, served.cluster))
    assert [row.way for row in rows] == ["reference", "empty", "wrong place", "destructive"]
    assert not any(row.differs for row in rows), rows
    assert len(rows[0].outputs) <= 1, rows[0]
    assert rows[0].seconds[0] > 0 and rows[0].seconds[1] > 0
    lines = make_table(rows).splitlines()
    assert len(lines) == 6 and lines[2].startswith("| wrong_bin_usage-mitigation-1 | reference | 1 | 1 |")


def test_a_difference_is_one_and_so_is_a_verdict_that_is_missing() -> None:
    assert Played("p", "reference", (1.0, True), (0.0, False)).differs
    assert Played("p", "-", (), (), told="no Chaos Mesh").differs
    assert not Played("p", "empty", (0.0, False), (0.0, False)).differs
