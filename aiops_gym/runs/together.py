"""Several episodes at once, for agents that mostly wait for somebody else, such as a model behind a network."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import current_thread, main_thread
from typing import Any

import gymnasium as gym

from aiops_gym.agents.kinds import Adapted, AnyAgent, Around, adapt
from aiops_gym.agents.waiting import INTERRUPTED, wait_until_done
from aiops_gym.errors import AgentError
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.guards import guard_episode
from aiops_gym.runs.runner import play as play_episode

Env = gym.Env[str, str]

KEEP, RAISE = "keep", "raise"
"""What becomes of an episode whose environment raises."""


def run_episodes(
    make_env: Callable[[], Env],
    make_agent: Callable[[Env, int], AnyAgent],
    seeds: Sequence[int],
    *,
    at_once: int = 8,
    options: dict[str, Any] | None = None,
    on_error: str = KEEP,
    signals: bool = False,
) -> Iterator[Episode]:
    """Play an episode a seed, some of them at the same time, and give them in the order of the seeds.

    Each has an environment and an agent of its own, made and used in one thread: nothing is shared. Where agents think
    on this machine, processes are faster: see `evaluate`. After an interrupt (Ctrl-C) running episodes end before their
    next action, with what there is of them and with `INTERRUPTED` as `agent_error`; none begins any more, and
    `KeyboardInterrupt` is raised when they have been given. An agent that waits and has `interrupt()`, as `chat` has,
    does not wait on. Where one is played after the other, any agent is interrupted at once, an environment at work is
    not, and a second interrupt ends either.

    Args:
        make_env: makes an environment.
        make_agent: makes an agent for it, with a seed.
        seeds: given to `reset`, and to the agent.
        at_once: episodes that are played at the same time, 1 or more.
        options: given to `reset`.
        on_error: "keep" gives an episode whose environment raises as well, with what there is of it and `infra_error`;
            "raise" raises where it would be given, and the ones after it are lost. What `make_env` and `make_agent`
            raise is raised in any case, and what an agent raises is in its episode's `agent_error`.
        signals: whether alerts and golden signals are kept, as by `run_episode`.

    Raises:
        ValueError: `on_error` is neither.

    Example:
        >>> import gymnasium, aiops_gym
        >>> from aiops_gym.agents import base
        >>> from aiops_gym.runs.together import run_episodes
        >>> make_env = lambda: gymnasium.make("aiops_gym/Detection-v0", problem="noop_detection_hotel_reservation-1")
        >>> make_agent = lambda env, seed: base.make("noop", env, seed)
        >>> [episode.reward for episode in run_episodes(make_env, make_agent, range(3), at_once=2)]
        [1.0, 1.0, 1.0]
    """
    if on_error not in (KEEP, RAISE):
        raise ValueError(f"on_error is {KEEP!r} or {RAISE!r}, not {on_error!r}")
    stop = _Stop()

    def play(seed: int) -> Episode:
        env = make_env()
        agent = adapt(make_agent(env, seed))
        run = partial(_played, stop, seed, options, signals)
        return guard_episode(run, env, agent, seed, options) if on_error == KEEP else run(env, agent)

    if at_once == 1 or len(seeds) == 1:  # here, where an interrupt arrives
        for seed in seeds:
            yield play(seed)
            if stop.asked:
                raise KeyboardInterrupt
        return
    yield from _together(play, seeds, at_once, stop)


def _played(stop: _Stop, seed: int, options: dict[str, Any] | None, signals: bool, env: Env, agent: Adapted) -> Episode:
    """One episode, after which both are closed."""
    player = _Interruptible(agent, stop)
    try:
        with stop.at_work(player):
            return play_episode(env, player, seed, options, signals=signals)
    finally:
        env.close()


def _together(play: Callable[[int], Episode], seeds: Sequence[int], at_once: int, stop: _Stop) -> Iterator[Episode]:
    """Each as soon as those before it are there; after an interrupt those that had begun. Raises KeyboardInterrupt."""
    turns = [_Turn(play, seed) for seed in seeds]
    with ThreadPoolExecutor(at_once, thread_name_prefix="episode") as pool:
        try:
            with stop.at_interrupt(turns):
                for turn in turns:
                    pool.submit(turn.take)
            for turn in turns:
                if not turn.episode.cancelled():
                    with stop.at_interrupt(turns):
                        wait_until_done(turn.episode)
                if not turn.episode.cancelled():
                    yield turn.episode.result()
            if stop.asked:
                raise KeyboardInterrupt
        finally:
            stop.now(turns)


class _Turn:
    """An episode that whichever thread is free plays; who waits for it has it in hand before that."""

    def __init__(self, play: Callable[[int], Episode], seed: int) -> None:
        self.play, self.seed = play, seed
        self.episode: Future[Episode] = Future()

    def take(self) -> None:
        """Play it, unless it was cancelled."""
        if self.episode.set_running_or_notify_cancel():
            try:
                self.episode.set_result(self.play(self.seed))
            except BaseException as error:  # noqa: BLE001  # Raised again where the episode is asked for.
                self.episode.set_exception(error)


class _Stop:
    """Whether all shall stop, and who is at work.

    Attributes:
        asked: for a stop; no lock, since a handler of signals sets it.
    """

    def __init__(self) -> None:
        self.asked = False
        self._players: set[_Interruptible] = set()

    def now(self, turns: Sequence[_Turn]) -> None:
        """Cancel what has not begun, and interrupt those that play and wait."""
        for turn in turns:
            turn.episode.cancel()
        self.asked = True
        for player in tuple(self._players):
            player.interrupt()

    @contextmanager
    def at_interrupt(self, turns: Sequence[_Turn]) -> Iterator[None]:
        """An interrupt here stops the turns, and goes no further."""
        try:
            yield
        except KeyboardInterrupt:
            self.now(turns)

    @contextmanager
    def at_work(self, player: _Interruptible) -> Iterator[None]:
        """A player who hears of a stop."""
        self._players.add(player)
        try:
            with player.listening():
                yield
        finally:
            self._players.discard(player)


class _Interruptible(Around):
    """An agent that gives up once it shall stop."""

    def __init__(self, agent: Adapted, stop: _Stop) -> None:
        super().__init__(agent)
        self._stop, self._acting = stop, False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Here an interrupt ends a thought at once, and a step when it is over: half a step would leave no episode.

        Only the main thread hears interrupts, and who handles them in a way of their own goes on doing so.
        """
        ours = current_thread() is main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if ours:
            signal.signal(signal.SIGINT, self._heard)
        try:
            yield
        finally:
            if ours:
                signal.signal(signal.SIGINT, signal.default_int_handler)

    def _heard(self, *_: Any) -> None:
        again, self._stop.asked = self._stop.asked, True
        if again or self._acting:
            raise KeyboardInterrupt

    def act(self, observation: str) -> str:
        """What the agent does, unless it shall stop. Raises AgentError then."""
        try:
            self._acting = True
            try:
                if not self._stop.asked:
                    return super().act(observation)
            except (Exception, SystemExit):  # whatever an end to its waiting makes it raise
                if not self._stop.asked:
                    raise
            finally:
                self._acting = False
        except KeyboardInterrupt:  # in this thread, while it thought
            self._stop.asked = True
        raise AgentError(INTERRUPTED)
