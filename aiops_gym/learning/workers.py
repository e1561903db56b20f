"""Environments in a few processes, several in each: for learners that step many and machines with few cores.

Stable-Baselines3's own `SubprocVecEnv` has one process an environment. Each process here needs torch (300 MB) and its
own healthy clusters (some seconds to simulate), so there are as many as cores, and each plays its share of the
environments one after another. What is played does not depend on the number of processes.
"""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

import gymnasium as gym
import numpy as np
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv
from stable_baselines3.common.vec_env.base_vec_env import CloudpickleWrapper

from aiops_gym.errors import AiopsGymError
from aiops_gym.runs.workers import collect_seldom

TOLD = ("episode", "is_success", "terminal_observation", "TimeLimit.truncated")
"""What a learner needs of the infos; the rest stays where it is."""

PATIENCE = 5.0
"""Seconds for a process to end by itself."""


class Workers(VecEnv):
    """Environments as Stable-Baselines3 wants them, in so many processes.

    Args:
        makers: each makes one environment; they are pickled.
        processes: at most one an environment.

    Raises:
        AiopsGymError: a process has died, or an environment has raised; says how.
    """

    def __init__(self, makers: Sequence[Callable[[], gym.Env[Any, Any]]], processes: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.shares = [list(each) for each in np.array_split(np.arange(len(makers)), min(processes, len(makers)))]
        self.pipes: list[Connection] = []
        self.processes = []
        for share in self.shares:
            here, there = context.Pipe()
            wrapped = CloudpickleWrapper([makers[i] for i in share])
            process = context.Process(target=_work, args=(there, wrapped), daemon=True)
            process.start()
            there.close()
            self.pipes.append(here)
            self.processes.append(process)
        spaces = self._all("spaces")[0]
        super().__init__(len(makers), *spaces)

    def reset(self) -> Any:
        """Begin an episode in each, with the seeds and options that were set."""
        for pipe, share in zip(self.pipes, self.shares, strict=True):
            pipe.send(("reset", ([self._seeds[i] for i in share], [self._options[i] for i in share])))
        self._reset_seeds()
        self._reset_options()
        return _together(self._answers())

    def step_async(self, actions: Any) -> None:
        """Begin a step in each."""
        for pipe, share in zip(self.pipes, self.shares, strict=True):
            pipe.send(("step", (actions[share[0] : share[-1] + 1],)))

    def step_wait(self) -> Any:
        """What came of it."""
        seen, rewards, ended, infos = zip(*self._answers(), strict=True)
        told = [info for each in infos for info in each]
        return _together(seen), np.concatenate(rewards), np.concatenate(ended), told

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of each."""
        return self._some(indices, "get_attr", attr_name)

    def has_attr(self, attr_name: str) -> bool:
        """Whether each has an attribute, of its own or of a wrapper."""
        return all(self._all("has_attr", attr_name))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of each."""
        self._some(indices, "set_attr", attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of each."""
        return self._some(indices, "env_method", method_name, *method_args, **method_kwargs)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Whether each has a wrapper."""
        return self._some(indices, "env_is_wrapped", wrapper_class)

    def close(self) -> None:
        """End the processes."""
        for pipe in self.pipes:
            pipe.close()
        for process in self.processes:
            process.join(PATIENCE)
            if process.is_alive():
                process.kill()
                process.join()
        self.pipes, self.processes = [], []

    def _some(self, indices: Any, name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """One result for each of the environments that are meant."""
        meant = set(self._get_indices(indices))
        shares = [[at for at, i in enumerate(share) if i in meant] for share in self.shares]
        asked = [(pipe, share) for pipe, share in zip(self.pipes, shares, strict=True) if share]
        for pipe, share in asked:
            pipe.send(("call", (name, share, args, kwargs)))
        return [each for found in self._answers(pipe for pipe, _ in asked) for each in found or ()]

    def _all(self, command: str, *args: Any) -> list[Any]:
        for pipe in self.pipes:
            pipe.send((command, args))
        return list(self._answers())

    def _answers(self, pipes: Iterable[Connection] | None = None) -> Iterator[Any]:
        for pipe in list(self.pipes if pipes is None else pipes):
            try:
                fine, answer = pipe.recv()
            except (EOFError, ConnectionResetError):
                raise AiopsGymError("a process with environments has died") from None
            if not fine:
                raise AiopsGymError(f"an environment has raised in its process:\n{answer}")
            yield answer


def _together(seen: Iterable[Any]) -> Any:
    """The observations of all processes as those of one."""
    found = list(seen)
    if isinstance(found[0], dict):
        return {name: np.concatenate([each[name] for each in found]) for name in found[0]}
    return np.concatenate(found)


def _work(pipe: Connection, makers: CloudpickleWrapper) -> None:
    """A process: plays until its pipe is closed. Ctrl-C is for the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    commands = None
    while True:
        try:
            name, args = pipe.recv()
        except (EOFError, ConnectionResetError):
            break
        try:
            commands = commands or _Commands(DummyVecEnv(makers.var))
            answer = True, getattr(commands, name)(*args)
        except Exception:  # noqa: BLE001  # Whatever it is, the other process has to know.
            answer = False, traceback.format_exc()
        pipe.send(answer)


class _Commands:
    """What can be asked of the environments of a process."""

    def __init__(self, envs: DummyVecEnv) -> None:
        self.envs = envs

    def spaces(self) -> Any:
        return self.envs.observation_space, self.envs.action_space

    def has_attr(self, name: str) -> bool:
        return bool(self.envs.has_attr(name))

    def reset(self, seeds: list[int | None], options: list[dict[str, Any]]) -> Any:
        self.envs._seeds, self.envs._options = seeds, options
        seen = self.envs.reset()
        collect_seldom()  # The healthy clusters of these environments are there now.
        return seen

    def step(self, actions: Any) -> Any:
        seen, rewards, ended, infos = self.envs.step(actions)
        return seen, rewards, ended, [{key: info[key] for key in TOLD if key in info} for info in infos]

    def call(self, name: str, share: list[int], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return getattr(self.envs, name)(*args, indices=share, **kwargs)
