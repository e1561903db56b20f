"""When alerts fire: `promtool test rules` looks at the same samples and rules."""

from __future__ import annotations

import json
import shutil
import subprocess
from random import Random

import numpy as np
import pytest

from aiops_gym.sim.alerts.board import follow_rule
from aiops_gym.sim.alerts.rules import read_groups
from aiops_gym.sim.promql import evaluate
from aiops_gym.sim.promql.durations import parse_duration
from aiops_gym.sim.promql.parser import parse
from aiops_gym.sim.promql.series import STALE, Series

MINUTE, MANY = 60_000, 40
HOLDS, KEEPS = ("0s", "1m", "90s", "4m"), ("0s", "2m", "150s")
RULES = [
    {
        "alert": f"Held{hold}Kept{keep}",
        "expr": "a > 1",
        "for": hold,
        "keep_firing_for": keep,
        "labels": {"severity": "warning", "place": "in {{ $labels.pod }}"},
        "annotations": {"told": "{{ $labels.pod }} is at {{ $value }}"},
    }
    for hold in HOLDS
    for keep in KEEPS
]


class Given:
    """Three series with values that come and go around what the rules ask for."""

    def __init__(self, seed):
        chance = Random(seed)
        self.values = {f"p{n}": [chance.choice([0, 2, 2, 3, None]) for _ in range(MANY)] for n in range(3)}

    def written(self):
        """As promtool reads them: `stale` where there is none."""
        rows = self.values.items()
        notes = {pod: " ".join("stale" if v is None else str(v) for v in values) for pod, values in rows}
        return [{"series": f'a{{pod="{pod}"}}', "values": text} for pod, text in notes.items()]

    def select(self, matchers, start, end):
        times = np.arange(MANY, dtype=np.int64) * MINUTE
        inside = (times > start) & (times <= end)
        return [
            Series(
                (("__name__", "a"), ("pod", pod)),
                times[inside],
                np.array([STALE if value is None else float(value) for value in values])[inside],
            )
            for pod, values in self.values.items()
        ]


def fire(given):
    """Alert name -> minute -> the alerts that fire then, with labels and annotations, by our reckoning."""
    (group,) = read_groups(json.dumps({"groups": [{"name": "g", "rules": RULES}]}), "r.yml", parse_duration)

    def ask(text, start, end, step):
        return evaluate.query_range(given, parse(text), start, end, step).series

    found = {}
    for rule in group.rules:
        courses = follow_rule(group, rule, ask, range(0, MANY * MINUTE, MINUTE))
        for minute in range(MANY):
            found.setdefault(rule.name, {})[minute] = [
                {name: value for name, value in course.labels if name != "alertname"}
                for course in courses
                for began, fired, ended in course.stretches
                if fired is not None and fired <= minute and (ended is None or minute < ended)
            ]
    return found


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool here")
@pytest.mark.parametrize("seed", range(4))
def test_promtool_finds_the_same_alerts_firing(tmp_path, seed):
    given = Given(seed)
    rules = [{**rule, "annotations": {}} for rule in RULES]
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "g", "rules": rules}]}))
    tests = [
        {"eval_time": f"{minute}m", "alertname": name, "exp_alerts": [{"exp_labels": labels} for labels in alerts]}
        for name, by_minute in fire(given).items()
        for minute, alerts in by_minute.items()
    ]
    assert sum(len(test["exp_alerts"]) for test in tests) > 100
    asked = {"interval": "1m", "input_series": given.written(), "alert_rule_test": tests}
    whole = {"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": [asked]}
    (tmp_path / "test.yml").write_text(json.dumps(whole))
    done = subprocess.run(
        ["promtool", "test", "rules", "test.yml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3_000:] + done.stdout[-3_000:]
