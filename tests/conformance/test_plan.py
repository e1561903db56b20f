"""What the plan for OpenRCA says, where no other test says it in the plan's own terms."""

from __future__ import annotations

import inspect
import re
import tomllib
from pathlib import Path

import gymnasium as gym
import pytest
from toy_world import block

import aiops_gym
from aiops_gym import run_episode
from aiops_gym.openrca import BankDataset, MarketDataset, TelecomDataset
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.queries import TASKS

ROOT = Path(__file__).parents[2]
COLUMNS = {
    ("bank", "get_metric_container", ""): "timestamp cmdb_id kpi_name value",
    ("bank", "get_metric_app", ""): "timestamp rr sr cnt mrt tc",
    ("bank", "get_traces", ""): "timestamp cmdb_id parent_id span_id trace_id duration",
    ("bank", "get_logs", ""): "log_id timestamp cmdb_id log_name value",
    ("market", "get_metric_container", ""): "timestamp cmdb_id kpi_name value",
    ("market", "get_metric_service", ""): "service timestamp rr sr mrt count",
    ("market", "get_logs", "service"): "log_id timestamp cmdb_id log_name value",
    ("telecom", "get_metric_container", ""): "itemid name bomc_id timestamp value cmdb_id",
    ("telecom", "get_metric_app", ""): "serviceName startTime avg_time num succee_num succee_rate",
    ("telecom", "get_traces", ""): ("callType startTime elapsedTime success traceId id pid cmdb_id dsName serviceName"),
}
METHODS = {
    BankDataset: "get_metric_container get_metric_app get_traces get_logs get_records get_queries",
    MarketDataset: (
        "get_metric_container get_metric_service get_metric_mesh get_metric_node get_traces get_logs"
        " get_records get_queries"
    ),
    TelecomDataset: "get_metric_container get_metric_app get_traces get_records get_queries",
}


@pytest.mark.parametrize(("domain", "method", "source"), COLUMNS)
def test_the_tables_have_the_columns_of_the_plan_in_its_order(domain, method, source):
    assert list(find(domain)[0].table(method, source).names) == COLUMNS[domain, method, source].split()


def test_a_span_of_the_market_has_what_one_of_the_bank_has_and_four_columns_more():
    bank, market = ({*find(domain)[0].table("get_traces").names} for domain in ("bank", "market"))
    assert market - bank == {"type", "status_code", "operation_name", "parent_span"}
    assert bank - market == {"parent_id"}  # the market's file calls it parent_span


def test_there_are_no_logs_of_the_telecom_and_records_differ_in_the_order_of_columns_only():
    assert "get_logs" not in find("telecom")[0].methods
    orders = [find(domain)[0].record_columns for domain in ("bank", "market", "telecom")]
    assert {frozenset(order) for order in orders} == {
        frozenset({"level", "component", "timestamp", "datetime", "reason"})
    }
    assert len({*orders}) == 3


@pytest.mark.parametrize("dataset", METHODS)
def test_a_data_set_is_made_and_asked_as_in_the_plan(dataset):
    first = ["cloudbed", "date"] if dataset is MarketDataset else ["date"]
    assert list(inspect.signature(dataset).parameters)[: len(first)] == first
    for name in METHODS[dataset].split():
        given = list(inspect.signature(getattr(dataset, name)).parameters.values())[1:3]
        if name not in ("get_records", "get_queries"):
            assert [(each.name, each.default) for each in given] == [("start_time", None), ("end_time", None)]


def test_the_tasks_ask_for_what_the_plan_says():
    assert {name: {*asked} for name, asked in TASKS.items()} == {
        "task_1": {"time"},
        "task_2": {"reason"},
        "task_3": {"component"},
        "task_4": {"time", "reason"},
        "task_5": {"time", "component"},
        "task_6": {"component", "reason"},
        "task_7": {"time", "component", "reason"},
    }


def test_the_candidates_are_those_of_the_plan():
    bank = find("bank")[0]
    named = "apache01 apache02 Tomcat01 Tomcat04 MG01 MG02 IG01 IG02 Mysql01 Mysql02 Redis01 Redis02"
    assert {*named.split()} <= {*bank.components}
    assert {"high CPU usage", "high memory usage", "network latency", "network packet loss"} <= {*bank.reasons}


def test_a_session_has_the_results_of_the_plan_and_the_dict_of_the_plan_is_an_answer():
    env = gym.make("aiops_gym/OpenRCABank-v0")
    keys = ("root cause occurrence datetime", "root cause component", "root cause reason")
    answer = dict(zip(keys, ("2021-03-04 14:57:00", "Redis02", "high memory usage"), strict=True))
    results = run_episode(env, lambda _: block(f"submit({answer!r})"), seed=1).results
    types = {"score": float, "component_match": bool, "reason_match": bool, "time_match": bool, "steps": int}
    assert {key: type(results[key]) for key in types} == types
    assert results["task_index"] in TASKS


def test_the_prompt_has_the_form_of_the_answer_and_says_to_use_a_block():
    prompt, _ = gym.make("aiops_gym/OpenRCABank-v0").reset(seed=1)
    for part in ('submit(component="...", reason="...", timestamp="YYYY-MM-DD HH:MM:SS")', "in one fenced block"):
        assert part in prompt
    assert all(key in prompt for key in ("root cause occurrence datetime", "root cause component"))


@pytest.mark.parametrize("name", ["Detection", "Localization", "Analysis", "Mitigation"])
def test_each_task_is_an_environment(name):
    assert f"aiops_gym/{name}-v0" in gym.registry
    assert gym.make(f"aiops_gym/{name}-v0").unwrapped.task == name.lower()


@pytest.mark.parametrize("name", ["Bank", "Market", "Telecom"])
def test_each_domain_is_an_environment_without_a_cluster_or_a_shell(name):
    env = gym.make(f"aiops_gym/OpenRCA{name}-v0")
    assert "exec_shell" not in env.unwrapped.tools
    assert env.unwrapped.domain.name == name.lower()


def test_the_package_says_what_it_is_and_what_it_needs_in_the_usual_two_files():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == "aiops_gym"
    needs = {re.match(r"[a-z0-9-]+", each)[0] for each in project["dependencies"]}
    assert {"gymnasium", "numpy", "pandas", "pyyaml"} <= needs
    assert "stable-baselines3" in " ".join(project["optional-dependencies"]["sb3"])
    assert "[importlinter]" in (ROOT / "setup.cfg").read_text(encoding="utf-8")


def test_problems_have_the_form_of_aiopslabs_ids():
    for problem in aiops_gym.problems():
        if problem.fault:
            assert f"-{problem.task}" in problem.id
