"""The examples run, say what they promise, and fit on one page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("[0-9]*.py"))
SAYS = {
    "01_first_episode": ["CrashLoopBackOff", "reward 1.0, solved: True"],
    "02_llm_as_policy": ["seed 2: submitted", "saved the last one"],
    "03_same_seed_same_episode": ["same bytes: True", "another cluster: True", "again: True"],
    "04_branching": ["roll geo back   reward 1.0", "take geo away   reward 0.0", "continues exactly: True"],
    "05_root_cause": ["Bank-task_", "reward ", "rows of timestamp, rr, sr, cnt, mrt, tc"],
    "06_group_rollouts": ["after 30 groups of 8, better: True"],
    "07_tree_search": ["with it, better: True"],
    "08_train": ["after 6,144 steps, better: True"],
    "09_rllib": ["after 16 iterations, better: True"],
    "10_aiopslab": ["mongodb-localization-1: 100 after 4 messages", "saved in data/results"],
    "15_mcp": ["tools: exec_shell, get_logs", "reward 1.0"],
    "11_inspect": ["reward 0.75 over 8 samples", "can be opened: True"],
    "13_trl": ["reward 0.250, 1.38 calls of tools an episode"],
    "14_openenv": ["rewards [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]"],
    "16_incident": ["The page, sent at", "ErrorBudgetBurn", "reward 1.00, solved: True"],
    "18_rca_agent": ["Which component", "reward ", "after 1 step, over: True"],
    "12_verifiers": ["rewards [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]"],
    "17_ppo_in_one_file": ['"better": true'],
}
PAGES = {"17_ppo_in_one_file": 300}
"""Lines of those that are longer than a page: a whole learner is."""

FEW = ["user_unregistered_mongodb-detection-1", "pod_failure_hotel_res-detection-1"]
FEW += 2 * ["noop_detection_hotel_reservation-1"]
GIVEN = {"17_ppo_in_one_file": ["--problems", ",".join(FEW), "--steps", "6144", "--tests", "40"]}
"""Arguments with which an example takes a minute or two instead of an hour."""

WHEN = dict.fromkeys(("06_group_rollouts", "07_tree_search", "08_train", "17_ppo_in_one_file"), pytest.mark.full)
WHEN["09_rllib"] = pytest.mark.ray
WHEN |= dict.fromkeys(("15_mcp", "11_inspect", "12_verifiers", "13_trl", "14_openenv"), pytest.mark.adapters)
"""Examples that learn, and those that need an environment of their own."""

LOUD = ("11_inspect", "12_verifiers", "13_trl", "14_openenv")
"""Examples in which other packages warn of what they do themselves."""


@pytest.mark.parametrize(
    "example", [pytest.param(path, marks=WHEN.get(path.stem, ()), id=path.stem) for path in EXAMPLES]
)
def test_an_example_runs_and_keeps_its_promise(example, tmp_path):
    text = example.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= PAGES.get(example.stem, 60)
    warn = "default" if example.stem in LOUD else "error"
    done = subprocess.run(
        [sys.executable, "-W", warn, str(example), *GIVEN.get(example.stem, [])],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for promise in SAYS[example.stem]:
        assert promise in done.stdout


def test_every_example_is_tested():
    assert [path.stem for path in EXAMPLES] == sorted(SAYS)
