"""How fast several environments are: in processes of their own, and side by side in this one.

What is compared is open at the same time and steps in turns, in the same episodes. So other programs disturb all alike,
and a ratio of two is the median of as many ratios as there are rounds. Each vector is in a process of its own: of two
in one process the second would find in the caches what the first one computed.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import cycle, permutations
from typing import Any, NamedTuple

import gymnasium as gym
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from aiops_gym.cli.common import make_env
from aiops_gym.cli.measure import measure_own_memory
from aiops_gym.envs.vector import WorldsVectorEnv
from aiops_gym.types import Call

PROBLEM = "container_kill-detection"
UNLIMITED = -1

WAIT = 0.05
"""Seconds that a step waits: for a language model or a real cluster, which take longer."""

STEPS = 24
"""Steps of an episode that are measured, one after the other."""

SIZES = (2, 4, 8, 16, 64)
"""Environments of a vector whose steps do not wait."""

FEW_AND_MANY = (2, 16)
"""Environments of a vector that plays whole episodes, and of one whose steps do nothing."""

WORLDS = 80
"""Episodes of which steps are measured where there are twenty rounds: a large vector needs fewer rounds."""

LENGTHS = (8, 9, 10, 11, 12, 13, 14)
"""Actions of whole episodes, in turns: agents do not end at the same time."""

LOOK = str(Call("exec_shell", ("kubectl get pods -n test-hotel-reservation",)))

Vector = VectorEnv[Any, Any, Any]
Maker = Callable[[], gym.Env[str, str]]

KINDS: Mapping[str, Callable[[Sequence[Maker]], Vector]] = {
    "in process": lambda makers: WorldsVectorEnv([make() for make in makers]),
    "sync": SyncVectorEnv,
    "async": AsyncVectorEnv,
}


class Waiting(gym.Wrapper[Any, Any, Any, Any]):
    """An environment whose steps wait for something."""

    def step(self, action: Any) -> Any:
        """Wait, and go on."""
        time.sleep(WAIT)
        return self.env.step(action)


class Repeating(gym.Wrapper[Any, Any, Any, Any]):
    """An environment whose steps do nothing, so that what they take is the vector's: all are as the first one."""

    turn: tuple[Any, ...] = ()

    def step(self, action: Any) -> Any:
        """The first step's result, with an info of its own."""
        self.turn = self.turn or self.env.step(action)
        return *self.turn[:-1], dict(self.turn[-1])


class Metered(gym.Wrapper[Any, Any, Any, Any]):
    """An environment that knows where it is."""

    def spent(self) -> tuple[int, float]:
        """Its process, and the CPU seconds of that so far."""
        return os.getpid(), time.process_time()


class Spent(NamedTuple):
    """What a step of one environment takes, in seconds: on the clock, and of all CPUs, Gymnasium's processes too."""

    clock: float
    cpu: float


def measure(rounds: int, envs: int) -> dict[str, Any]:
    """Steps a second of vectors, what they take of the CPU, and what many environments in one process take.

    Args:
        rounds: times that each is measured; the median counts.
        envs: environments whose memory is measured.
    """
    one, two = (time_waiting(n, rounds) for n in (1, 2))
    report: dict[str, Any] = {
        f"a step waits {1e3 * WAIT:.0f} ms, one worker, steps a second": one,
        "two workers, steps a second": two,
        "two workers, in those of one": two / one,
    }
    found = {f"{n} environments that do not wait": time_stepping(n, reduce_rounds(rounds, n)) for n in SIZES}
    found |= {f"{n} environments, whole episodes": time_playing(n, reduce_rounds(rounds, n)) for n in FEW_AND_MANY}
    found |= {f"{n} environments that do nothing": time_idling(n, rounds) for n in FEW_AND_MANY}
    for what, beside in found.items():
        report |= _compared(what, beside)
    details = {
        "steps a second": _medians(found, lambda each: 1 / each.clock),
        "CPU of a step, ms": _medians(found, lambda each: 1e3 * each.cpu),
    }
    return report | _many(envs) | details


def time_waiting(n: int, rounds: int) -> float:
    """Steps a second of so many workers, each with one environment whose steps wait."""
    envs = AsyncVectorEnv([partial(_one, around=Waiting)] * n)
    try:
        envs.reset(seed=1)
        spent = [_stepped(envs, STEPS // 4, LOOK).clock for _ in range(rounds)]
    finally:
        envs.close()
    return 1 / statistics.median(spent)


def reduce_rounds(rounds: int, n: int) -> int:
    """Rounds that are enough for a vector of so many environments.

    >>> [reduce_rounds(20, n) for n in SIZES]
    [20, 20, 10, 7, 7]
    """
    return max(7, min(rounds, rounds * WORLDS // 20 // n))


def time_stepping(n: int, rounds: int, action: str = LOOK) -> dict[str, list[Spent]]:
    """What steps take in each kind of vector: in each round those of other episodes, without the reset."""
    return _in_turns([partial(_one)] * n, tuple(KINDS), [(at * n, STEPS, action) for at in range(rounds)])


def time_playing(n: int, rounds: int) -> dict[str, list[Spent]]:
    """What steps take where episodes end at different times and begin anew, resets included."""
    makers = [partial(_one, length=LENGTHS[i % len(LENGTHS)]) for i in range(n)]
    return _in_turns(makers, ("in process", "async"), [(None, LENGTHS[-1], LOOK)] * rounds)


def time_idling(n: int, rounds: int) -> dict[str, list[Spent]]:
    """What steps take that do nothing: the cost of the vector itself."""
    return _in_turns([partial(_one, around=Repeating)] * n, tuple(KINDS), [(None, 10 * STEPS, LOOK)] * rounds)


def _in_turns(
    makers: Sequence[Maker], kinds: Sequence[str], rounds: Sequence[tuple[int | None, int, str]]
) -> dict[str, list[Spent]]:
    """Of each kind what a step takes in each round; a round is the seed of a reset before it, steps and an action."""
    taken: dict[str, list[Spent]] = {kind: [] for kind in kinds}
    with ExitStack() as stack:
        homes = {kind: stack.enter_context(_home(kind, makers)) for kind in kinds}
        for told, order in zip(rounds, cycle(permutations(kinds)), strict=False):
            for kind in order:
                taken[kind].append(homes[kind].submit(_round, *told).result())
    return taken


_HERE: list[Vector] = []
"""The vector of this process, where it is the home of one."""


@contextmanager
def _home(kind: str, makers: Sequence[Maker]) -> Iterator[ProcessPoolExecutor]:
    """A process with a vector."""
    with ProcessPoolExecutor(1, initializer=_open, initargs=(kind, makers)) as home:
        yield home
        home.submit(_close).result()


def _open(kind: str, makers: Sequence[Maker]) -> None:
    envs = KINDS[kind](makers)
    envs.reset(seed=0)
    _HERE.append(envs)


def _close() -> None:
    _HERE.pop().close()


def _round(seed: int | None, steps: int, action: str) -> Spent:
    (envs,) = _HERE
    if seed is not None:
        envs.reset(seed=seed)
    return _stepped(envs, steps, action)


def _one(length: int = UNLIMITED, around: Callable[[gym.Env[str, str]], Any] | None = None) -> gym.Env[str, str]:
    env = make_env(PROBLEM, max_episode_steps=length)
    return Metered(around(env) if around else env)


def _stepped(envs: Vector, steps: int, action: str) -> Spent:
    """What a step of one environment takes."""
    actions, cpu, begin = (action,) * envs.num_envs, _cpu(envs), time.perf_counter()
    for _ in range(steps):
        envs.step(actions)
    clock = time.perf_counter() - begin
    return Spent(clock / steps / envs.num_envs, (_cpu(envs) - cpu) / steps / envs.num_envs)


def _cpu(envs: Any) -> float:
    """CPU seconds so far of this process and of those in which the environments are."""
    there = dict(envs.call("spent")) | {os.getpid(): time.process_time()}
    return float(sum(there.values()))


def _compared(what: str, beside: Mapping[str, list[Spent]]) -> dict[str, float]:
    """How much faster the vector in this process is than the others, and how much more CPU async takes."""
    ours = beside["in process"]
    rows = {
        f"{what}, in process in those of {kind}": _ratio(beside[kind], ours, "clock")
        for kind in ("async", "sync")
        if kind in beside
    }
    return rows | {f"{what}, CPU of async in that of in process": _ratio(beside["async"], ours, "cpu")}


def _ratio(above: list[Spent], below: list[Spent], what: str) -> float:
    pairs = zip(above, below, strict=True)
    return float(statistics.median(getattr(high, what) / getattr(low, what) for high, low in pairs))


def _medians(found: Mapping[str, Mapping[str, list[Spent]]], value: Callable[[Spent], float]) -> dict[str, float]:
    """Of everything that was measured."""
    return {
        f"{what}, {kind}": statistics.median(map(value, taken))
        for what, beside in found.items()
        for kind, taken in beside.items()
    }


def _many(n: int) -> dict[str, float]:
    """What so many environments in this process take: memory beyond the first 16, and open files."""
    few = WorldsVectorEnv([_one() for _ in range(16)])
    few.reset(seed=0)
    few.step((LOOK,) * 16)
    memory, files = measure_own_memory(), len(os.listdir("/proc/self/fd"))
    many = WorldsVectorEnv([_one() for _ in range(n)])
    begin = time.perf_counter()
    many.reset(seed=0)
    taken = time.perf_counter() - begin
    many.step((LOOK,) * n)
    report = {
        f"{n} environments in one process, MB each": (measure_own_memory() - memory) / n / 1e6,
        f"{n} environments in one process, files opened": float(len(os.listdir("/proc/self/fd")) - files),
        f"{n} environments in one process, reset of all, s": taken,
    }
    many.close()
    few.close()
    return report
