"""A training run: kept whole, resumed without loss, the same with any number of processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from small_run import SMALL, weights

from aiops_gym.cli import run
from aiops_gym.errors import AiopsGymError
from aiops_gym.learning.checkpoints import Folder, State
from aiops_gym.learning.policies import load
from aiops_gym.learning.settings import Settings
from aiops_gym.learning.training import Progress, Stopped, train


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nothing disturbed."""
    out = tmp_path_factory.mktemp("whole")
    train(SMALL, out)
    return out


def same(left: Path, right: Path) -> bool:
    ours, theirs = weights(left), weights(right)
    return list(ours) == list(theirs) and all(np.array_equal(ours[name], theirs[name]) for name in ours)


def history(out: Path) -> list:
    summary = json.loads((out / "summary.json").read_text())
    return [summary[name] for name in ("settings", "steps", "training", "evaluations")]


def test_a_run_leaves_a_model_a_summary_a_curve_and_a_log(whole):
    summary = json.loads((whole / "summary.json").read_text())
    assert summary["steps"] == SMALL.total
    assert [row["steps"] for row in summary["evaluations"]] == [2 * SMALL.update, SMALL.total]
    assert len(summary["training"]) == SMALL.total / SMALL.update
    assert (whole / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert any(each.stat().st_size > 1_000 for each in (whole / "tensorboard").glob("events.*"))
    assert load(str(whole / "model.zip")).masked
    assert len(list((whole / "checkpoints").iterdir())) == 2


def test_two_processes_learn_what_one_learns(whole, tmp_path):
    train(SMALL, tmp_path, processes=2)
    assert same(whole, tmp_path)
    assert history(whole) == history(tmp_path)


def test_another_seed_learns_something_else(whole, tmp_path):
    train(Settings(**{**SMALL.to_json(), "problems": SMALL.problems, "seed": 1}), tmp_path)
    assert not same(whole, tmp_path)


def test_a_run_that_was_killed_ends_with_the_same_weights(whole, tmp_path):
    """SIGKILL in the middle of a segment, as soon as there is a checkpoint."""
    script = "import sys, small_run; small_run.main(sys.argv[1])"
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], env={**os.environ, "PYTHONPATH": path})
    checkpoints = tmp_path / "checkpoints"
    while not list(checkpoints.glob("0*")) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    model, state = Folder(tmp_path).last()
    assert model is not None
    assert SMALL.segment <= state.steps < SMALL.total
    (checkpoints / ".half").mkdir(exist_ok=True)  # as a kill within a save leaves it
    train(SMALL, tmp_path, resume=True)
    assert same(whole, tmp_path)
    assert history(whole) == history(tmp_path)


def test_a_run_that_was_killed_before_its_last_evaluation_makes_it(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "run")
    folder = Folder(tmp_path / "run")
    path = folder.last()[0].with_name("state.json")
    state = json.loads(path.read_text())
    state["evaluations"].pop()
    path.write_text(json.dumps(state))
    train(SMALL, tmp_path / "run", resume=True)
    assert history(whole) == history(tmp_path / "run")


@pytest.fixture
def heard():
    """An interrupt is heard: shells start what runs in their background with a deaf ear for it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_what_was_stopped_by_ctrl_c_is_kept_and_goes_on(tmp_path):
    def press(now: Progress) -> None:
        if now.steps == SMALL.update + SMALL.envs:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Stopped):
        train(SMALL, tmp_path, progress=press)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    _, state = Folder(tmp_path).last()
    assert state.steps == 2 * SMALL.update
    assert train(SMALL, tmp_path, resume=True)["steps"] == SMALL.total


def test_a_finished_run_is_not_done_again(whole):
    before = (whole / "checkpoints").stat().st_mtime_ns
    train(SMALL, whole, resume=True)
    assert (whole / "checkpoints").stat().st_mtime_ns == before


def test_a_folder_is_for_one_run(whole, tmp_path):
    other = Settings(**{**SMALL.to_json(), "problems": SMALL.problems, "seed": 1})
    with pytest.raises(AiopsGymError, match="--resume continues"):
        train(SMALL, whole)
    with pytest.raises(AiopsGymError, match="another training run: seed: 0 before, 1 now"):
        train(other, whole, resume=True)
    with Folder(tmp_path).locked(), pytest.raises(AiopsGymError, match="is at work"):
        train(SMALL, tmp_path)


def test_a_checkpoint_is_whole_or_not_there(tmp_path):
    class Dying:
        def save(self, path):
            path.write_text("half")
            raise KeyboardInterrupt

    folder = Folder(tmp_path)
    with folder.locked(), pytest.raises(KeyboardInterrupt):
        folder.keep(Dying(), State(steps=5))
    assert folder.last() == (None, State())


def test_plain_ppo_learns_without_masks(tmp_path):
    settings = {**SMALL.to_json(), "problems": SMALL.problems, "algorithm": "ppo", "steps": SMALL.update}
    train(Settings(**settings), tmp_path)
    assert not load(str(tmp_path / "model.zip")).masked


def test_torch_has_one_thread():
    assert torch.get_num_threads() == 1


def test_the_command_trains_and_tells(capsys, tmp_path):
    given = ["train", "--task", "detection", "--steps", "1", "--envs", "2", "--set", "horizon=8", "--set", "batch=16"]
    given += [arg for each in SMALL.problems for arg in ("--problem", each)]
    given += ["--sample", "2", "--out", str(tmp_path)]
    assert run(given) == 0
    assert "16 steps in" in capsys.readouterr().out
    assert run([*given, "--resume", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["recipe"] == {"horizon": 8.0, "batch": 16.0}
    assert run([*given]) == 1
    assert "--resume continues it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--task", "guessing"), "no task 'guessing'"),
        (("--task", "detection", "--algo", "dqn"), "no algorithm 'dqn'"),
        (("--task", "detection", "--set", "luck=1"), "no number 'luck'"),
        (("--task", "detection", "--set", "clip=much"), "name=value with a number"),
        (("--task", "detection", "--split", "exam"), "no split 'exam'"),
        (("--task", "detection", "--set", "batch=7"), "must divide"),
        (("--task", "detection", "--problem", "nothing"), "no problem 'nothing'"),
    ],
)
def test_what_cannot_be_is_named(capsys, tmp_path, arguments, says):
    assert run(["train", *arguments, "--out", str(tmp_path / "x")]) != 0
    assert says in capsys.readouterr().err
