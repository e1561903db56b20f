"""What the simulated Prometheus answers to a selector is what the real query engine answers over the same series."""

from __future__ import annotations

import json
import shutil
import subprocess
from urllib.parse import urlencode

import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim.software.programs.prometheus import program

METRIC = "container_memory_usage_bytes"
SELECTORS = (
    METRIC,
    f'{METRIC}{{namespace="test-hotel-reservation"}}',
    f'{METRIC}{{pod=~"geo.*"}}',
    f'{METRIC}{{pod=~"geo"}}',  # anchored at both ends
    f'{METRIC}{{pod!~"geo.*|rate.*",namespace="test-hotel-reservation"}}',
    f'{METRIC}{{container!="POD", }}',
    f"{METRIC}{{namespace='observe'}}",
    f'{METRIC}{{nolabel=""}}',
    f'{METRIC}{{nolabel!=""}}',
    f'{METRIC}{{nolabel=~".+"}}',
    f'{{__name__="{METRIC}",pod=~"(frontend|search)-.*"}}',
    f'{METRIC}{{pod=~"x"}}',
)


@pytest.fixture(scope="module")
def world():
    return Simulated(registry.find_problem("container_kill-detection"), 1, noise=False).world


def server(world):
    """The row of Prometheus' process."""
    return next(row for row in world.table("processes").values() if row["program"] == "prometheus")


def answered(world, selector):
    """Labels and value of each sample."""
    code, text = program.http(world, server(world), "/api/v1/query?" + urlencode({"query": selector}))
    assert code == 200, text
    return [(each["metric"], float(each["value"][1])) for each in json.loads(text)["data"]["result"]]


def series(labels):
    """As in a text of PromQL."""
    inside = ",".join(f"{name}={json.dumps(value)}" for name, value in labels.items() if name != "__name__")
    return f"{labels['__name__']}{{{inside}}}"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool here")
def test_the_real_engine_selects_the_same_series(world, tmp_path):
    everything = [{"series": series(labels), "values": f"{value:f}"} for labels, value in answered(world, METRIC)]
    assert len(everything) > 20
    asked = [
        {
            "expr": selector,
            "eval_time": "0m",
            "exp_samples": [{"labels": series(labels), "value": value} for labels, value in answered(world, selector)],
        }
        for selector in SELECTORS
    ]
    assert len({len(each["exp_samples"]) for each in asked}) > 4
    path = tmp_path / "selectors.json"  # JSON is YAML
    path.write_text(json.dumps({"tests": [{"input_series": everything, "promql_expr_test": asked}]}))
    done = subprocess.run(["promtool", "test", "rules", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
