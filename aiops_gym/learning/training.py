"""A training run: segments of some updates, each of which is a function of the checkpoint before it.

At the start of a segment every random stream is seeded anew, from the run's seed and the steps so far, and every
environment begins an episode. So a run that was killed and resumed ends with the same weights as one that was not, and
a checkpoint needs no more than the learner and a page of numbers.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from aiops_gym.learning import curve, trial, worlds
from aiops_gym.learning.checkpoints import Folder, State
from aiops_gym.learning.extra import require_extra
from aiops_gym.learning.policies import find_algorithm
from aiops_gym.learning.settings import ALGORITHMS, Settings
from aiops_gym.sim.kernel import draws


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run is.

    Attributes:
        steps: done, of `total`.
        reward: mean return of the last 100 episodes, with the prices of the stack.
        success: share of them that was solved.
    """

    steps: int
    total: int
    reward: float = 0.0
    success: float = 0.0


@dataclass
class Run:
    """A run at work."""

    settings: Settings
    folder: Folder
    state: State
    learner: Any
    envs: Any
    env: Any
    progress: Callable[[Progress], None]
    began: float


class Stopped(KeyboardInterrupt):
    """The run was interrupted, and is saved."""


def train(
    settings: Settings,
    out: Path,
    *,
    resume: bool = False,
    processes: int = 0,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Let a network learn a task, and keep everything in a folder.

    The folder has `settings.json`, `checkpoints/`, `tensorboard/`, and at the end `model.zip`, `summary.json` and
    `curve.png`. A run that is finished is not done again.

    Args:
        out: the folder.
        resume: continue what is there, if anything is.
        processes: that play the environments; 0 plays in this one. The result does not depend on it.
        progress: called a few times a second.

    Returns:
        What `summary.json` has.

    Raises:
        AiopsGymError: packages are missing, or the folder holds something else.
        Stopped: Ctrl-C was pressed; a checkpoint has been saved after the update that was running.
    """
    require_extra()
    folder = Folder(out)
    with folder.locked():
        folder.adopt(settings, resume)
        _, state = folder.last()
        if state.steps < settings.total or _unevaluated(settings, state):
            with _running(settings, folder, processes, progress or (lambda _: None)) as run, _asked() as stop:
                _go_on(run, stop)
                state = run.state
        summary = folder.finish(settings, state)
        curve.draw(state, settings, folder.curve)
    return summary


@contextmanager
def _running(settings: Settings, folder: Folder, processes: int, progress: Callable[[Progress], None]) -> Iterator[Run]:
    """The run as its last checkpoint left it."""
    from stable_baselines3.common.logger import configure  # noqa: PLC0415
    from stable_baselines3.common.utils import set_random_seed  # noqa: PLC0415

    model, state = folder.last()
    envs, env = worlds.make_vector(settings, processes), worlds.make_world(settings, len(trial.MODES))
    try:
        set_random_seed(_seed(settings, "weights", 0))
        made = find_algorithm(settings.algorithm)
        learner = made.load(model, env=envs, device="cpu") if model else _new(made, settings, envs, env)
        learner.set_logger(configure(str(folder.tensorboard), ["tensorboard"]))
        began = time.monotonic() - state.seconds
        yield Run(settings, folder, state, learner, envs, env, progress, began)
        learner.logger.close()
    finally:
        envs.close()


def _new(made: Any, settings: Settings, envs: Any, env: Any) -> Any:
    from aiops_gym.learning.policy import make_policy_kwargs  # noqa: PLC0415  # Imports torch.

    policy, kwargs = make_policy_kwargs(env, masked=settings.algorithm == ALGORITHMS[0])
    return made(
        policy,
        envs,
        policy_kwargs=kwargs,
        n_steps=int(settings.number("horizon")),
        batch_size=settings.batch,
        n_epochs=int(settings.number("epochs")),
        learning_rate=settings.number("learning_rate"),
        ent_coef=settings.number("entropy"),
        gamma=settings.number("gamma"),
        gae_lambda=settings.number("lambda"),
        clip_range=settings.number("clip"),
        target_kl=settings.number("divergence"),
        device="cpu",
    )


def _go_on(run: Run, stop: list[bool]) -> None:
    """Segment after segment, and the evaluations between them."""
    while True:
        if _unevaluated(run.settings, run.state):
            _evaluate(run)
            run.folder.keep(run.learner, run.state)
        if run.state.steps >= run.settings.total:
            break
        _segment(run, stop)


def _unevaluated(settings: Settings, state: State) -> bool:
    """Whether an evaluation is due that was not made: a run may be killed before it is saved."""
    return settings.due(state.steps) and state.steps not in {row["steps"] for row in state.evaluations}


def _segment(run: Run, stop: list[bool]) -> None:
    """Train until the next checkpoint, and save it."""
    _begin(run)
    settings, state = run.settings, run.state
    end = min(state.steps + settings.segment, settings.total)
    while state.steps < end and not stop:
        run.learner.learn(settings.update, callback=_shown(run), log_interval=1, reset_num_timesteps=False)
        state.steps = run.learner.num_timesteps
        state.training.append({"steps": state.steps, **_recent(run.learner)})
    if run.envs.has_attr("curriculum"):
        state.curriculum = run.envs.env_method("curriculum")
    state.seconds = time.monotonic() - run.began
    run.folder.keep(run.learner, state)
    if stop:
        raise Stopped


def _begin(run: Run) -> None:
    """Everything random anew, and new episodes."""
    from stable_baselines3.common.utils import ConstantSchedule, set_random_seed  # noqa: PLC0415

    settings, state = run.settings, run.state
    set_random_seed(_seed(settings, "learner", state.steps))
    left = 1 - state.steps / settings.total
    run.learner.lr_schedule = ConstantSchedule(settings.number("learning_rate") * left)
    run.envs.env_method("look_first", settings.looks_first(state.steps))
    for i, learned in enumerate(state.curriculum):
        run.envs.env_method("resume", learned, indices=i)
    run.envs.seed(worlds.FIRST_SEED + _seed(settings, "worlds", state.steps) * settings.envs)
    run.learner.set_env(run.envs, force_reset=True)


def _seed(settings: Settings, purpose: str, steps: int) -> int:
    """A number below 2**31, which NumPy and torch take."""
    return draws.bits(settings.seed, purpose, str(steps)) % 2**31


def _evaluate(run: Run) -> None:
    """Play the evaluation's episodes, and note how they went."""
    row = trial.evaluate_policy(run.env, run.learner, run.settings, run.state.steps)
    run.state.evaluations.append(row)
    run.state.seconds = time.monotonic() - run.began
    for mode in trial.MODES:
        for name, value in row[mode].items():
            run.learner.logger.record(f"test_{mode}/{name}", value)
    run.learner.logger.dump(run.state.steps)


def _recent(learner: Any) -> dict[str, float]:
    """Mean return and success of the last 100 episodes of training."""
    rewards = [each["r"] for each in learner.ep_info_buffer or ()]
    solved = list(learner.ep_success_buffer or ())
    return {
        "return": float(sum(rewards) / len(rewards)) if rewards else 0.0,
        "success": float(sum(solved) / len(solved)) if solved else 0.0,
    }


def _shown(run: Run) -> Any:
    """Calls `progress` in every step of all environments."""

    def show(inner: dict[str, Any], outer: dict[str, Any]) -> bool:
        recent = _recent(run.learner)
        done = run.learner.num_timesteps
        run.progress(Progress(steps=done, total=run.settings.total, reward=recent["return"], success=recent["success"]))
        return True

    return show


@contextmanager
def _asked() -> Iterator[list[bool]]:
    """Something true once Ctrl-C was pressed; pressed again it interrupts at once. In the main thread only."""
    asked: list[bool] = []

    def note(number: int, frame: FrameType | None) -> None:
        asked.append(True)
        signal.signal(number, before)

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:
        yield asked
        return
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
