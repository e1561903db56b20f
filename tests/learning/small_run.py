"""The smallest training run that has everything: checkpoints, evaluations, several environments."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from aiops_gym.learning.policies import load
from aiops_gym.learning.settings import Settings
from aiops_gym.learning.training import Progress, train

SMALL = Settings(
    task="detection",
    steps=256,
    envs=4,
    problems=("container_kill-detection", "noop_detection_hotel_reservation-1"),
    every=64,
    evaluate=128,
    sample=2,
    recipe={"horizon": 16, "batch": 32, "epochs": 2},
)


def main(out: str) -> None:
    """Do it in a process of its own, which stands still in its second segment until it is killed."""

    def hold(now: Progress) -> None:
        if now.steps > SMALL.segment:
            signal.pause()

    train(SMALL, Path(out), progress=hold)


def weights(out: Path) -> dict[str, Any]:
    """The numbers of the network in a run's model, and of its optimizer, by name."""
    policy = load(str(out / "model.zip")).learner.policy
    found = {name: value.numpy() for name, value in policy.state_dict().items()}
    for at, row in policy.optimizer.state_dict()["state"].items():
        found |= {f"optimizer {at} {name}": value.numpy() for name, value in row.items()}
    return found
