"""Runs of training beside each other come to what they come to alone; cut short, they go on."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal

import pytest

from aiops_gym.errors import AiopsGymError
from aiops_gym.learning.settings import Settings
from aiops_gym.learning.side_by_side import Job, train_all

TINY = {"task": "detection", "every": 32, "envs": 2, "sample": 1, "steps": 64}
TINY |= {"problems": ("container_kill-detection",)}
RECIPE = {"horizon": 16, "batch": 16, "epochs": 1}


def jobs(folder, **more):
    return [Job(Settings(**TINY, recipe=RECIPE, seed=seed, **more), folder / str(seed)) for seed in range(2)]


def results(folder):
    found = [json.loads((job.out / "summary.json").read_text()) for job in jobs(folder)]
    return [(each["training"], each["evaluations"]) for each in found]


@pytest.mark.full
def test_side_by_side_is_one_after_the_other_and_an_interruption_changes_nothing(tmp_path):
    told = []
    train_all(jobs(tmp_path / "alone"), 0, lambda job, now: told.append((job.settings.seed, now.total)))
    assert set(told) == {(0, 64), (1, 64)}

    def interrupt(job, now):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_all(jobs(tmp_path / "beside"), 2, interrupt)
    train_all(jobs(tmp_path / "beside"), 2, lambda *_: None)
    assert results(tmp_path / "beside") == results(tmp_path / "alone")


@pytest.mark.full
def test_a_run_that_dies_is_told_of(tmp_path):
    def kill(job, now):
        os.kill(multiprocessing.active_children()[0].pid, signal.SIGKILL)

    with pytest.raises(AiopsGymError, match=r"the process of the run in .*/0 ended with -9"):
        train_all(jobs(tmp_path)[:1], 1, kill)
