"""One episode as two objects: what an agent may do in it, and what whoever trains or examines that agent may.

    sessions = Sessions(limit=64)
    session = sessions.create(task="detection", seed=7)
    session.agent.prompt                                       the task, as the agent is told it
    session.agent.act('```\\nexec_shell("kubectl get pods")\\n```')  or .call("exec_shell", command="kubectl get pods")
    session.score()                                            reward, or masked where we failed

The agent's functions are closures: no attribute leads from them to the trainer's side. In one process Python hides no
more (`__closure__`, `gc`, frames): agents that are not trusted get another one, by `aiops-gym serve --sessions`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

import gymnasium as gym

from aiops_gym.envs.episode import OVER, whole
from aiops_gym.envs.naming import find_env
from aiops_gym.errors import AiopsGymError, ArgumentError, CatalogError, describe_error
from aiops_gym.sessions.results import Env, Reply, Score, grade, is_over
from aiops_gym.tools.parser import write_call
from aiops_gym.tools.schemas import list_schemas

LOG = logging.getLogger(__name__)

ENDED = "The session has ended, through no fault of yours."
"""What an agent is told where we failed. Why, is for the trainer: a reason could give an answer away."""

IDLE, LIMIT = 900.0, 64
"""Seconds without a call after which a session ends; sessions at once."""

_ONE_AT_A_TIME = threading.RLock()
"""Worlds of a process share caches, and Python runs one at a time anyway. Processes are what plays side by side."""


class AgentSession:
    """The agent's side, and all of it.

    Attributes:
        prompt: the task, and what may be called; "" where the session could not be opened.
        tools: JSON schemas of what may be called, in OpenAI's shape; `aiops_gym.tools.schemas` has the others.
        act: carries out an action text, and never raises.
        call: `call(name, **arguments)` is the same for a tool and its arguments, JSON data.
    """

    __slots__ = ("act", "call", "prompt", "tools")
    prompt: str
    tools: Sequence[Mapping[str, Any]]
    act: Callable[[str], Reply]
    call: Callable[..., Reply]


class Session:
    """The trainer's side of a session; `Sessions.create` opens one.

    Attributes:
        agent: what the agent is given, and nothing else.
        env: the environment, below any limit of steps; None after the end, and where none could be opened.
        error: what was raised inside, for a log; None where nothing was.
    """

    def __init__(self, holder: Sessions, env: Env | None, steps: int, reason: str = "") -> None:
        self.env, self.steps = env, steps
        self.error: Exception | None = None
        self._holder, self._final = holder, Score(None, masked=True, reason=reason)
        self.agent = AgentSession()
        self.agent.act = lambda text: self._act(text)  # noqa: PLW0108  # A method would have a `__self__`.
        self.agent.call = lambda name, /, **arguments: self._act(write_call(name, arguments))
        self._show()

    @property
    def over(self) -> bool:
        """Whether no further action counts."""
        return self.env is None or is_over(self.env, self.steps)

    def score(self) -> Score:
        """What it is worth as it stands. Changes nothing; after the end it stays what it was."""
        with _ONE_AT_A_TIME:
            try:
                return self._final if self.env is None else grade(self.env, self.steps)
            except Exception as error:  # noqa: BLE001  # Ours, whatever it is: masked, and never the agent's 0.
                self._broke(error)
                return self._final

    def fork(self, n: int = 1) -> list[Session]:
        """Independent sessions that continue from here; those above the holder's limit are masked.

        Raises AiopsGymError after the end, as `snapshot` and `restore` do.
        """
        with _ONE_AT_A_TIME:
            env = self._living()
            return [self._holder._admit(lambda: env.fork()[0], self.steps) for _ in range(n)]

    def snapshot(self) -> bytes:
        """The episode, random streams included, as versioned data."""
        with _ONE_AT_A_TIME:
            return self._living().snapshot()

    def restore(self, data: bytes) -> None:
        """Continue from a snapshot of a session created with the same arguments, or raise SnapshotError."""
        with _ONE_AT_A_TIME:
            self._living().restore(data)
            self._show()

    def close(self) -> None:
        """End it; its score stays what it is now."""
        self._end()

    def _living(self) -> Env:
        self._holder._touch(self)
        if self.env is None:
            raise AiopsGymError(f"the session has ended{self._final.reason and ': ' + self._final.reason}")
        return self.env

    def _show(self) -> None:
        side, env = self.agent, self.env
        shown = [] if env is None else list_schemas(env.tools, short=env.budget is not None)
        side.prompt, side.tools = "" if env is None else env.prompt, shown

    def _act(self, text: str) -> Reply:
        with _ONE_AT_A_TIME:
            self._holder._touch(self)
            if self.env is None or self.over:
                return Reply(ENDED if self.env is None and self._final.masked else OVER, True)
            try:
                observation = self.env.step(text)[0]
            except Exception as error:  # noqa: BLE001  # Ours, whatever it is: masked, and never the agent's 0.
                self._broke(error)
                return Reply(ENDED, True)
            return Reply(observation, self.over)

    def _broke(self, error: Exception) -> None:
        LOG.error("a session broke", exc_info=error)
        self.error = error
        self._end(describe_error(error))

    def _end(self, reason: str = "") -> None:
        """Forget the world. With a reason it is masked, unless the agent was done before."""
        with _ONE_AT_A_TIME:
            if self.env is not None:
                masked = self.error is not None or (reason and not self.over)
                final = Score(None, masked=True, reason=reason) if masked else self.score()
                self.env, self._final = None, replace(final, over=True)
            self._holder._forget(self)


class Sessions:
    """Opens sessions, and ends those that nobody uses.

    Args:
        limit: how many are open at once; one more is masked from its start.
        idle: seconds without a call after which a session is ended, and masked if its agent was not done.
        clock: seconds that only grow.

    >>> sessions = Sessions(limit=1)
    >>> session = sessions.create("noop_detection_hotel_reservation-1", seed=3)
    >>> session.agent.call("submit", has_anomaly="No").over, session.score().reward
    (True, 1.0)
    >>> sessions.create(task="detection").score().reason
    '1 session is open already, the limit'
    """

    def __init__(self, limit: int = LIMIT, idle: float = IDLE, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit, self.idle, self.clock = limit, idle, clock
        self._used: OrderedDict[Session, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._used)

    def create(
        self,
        problem: str | None = None,
        *,
        seed: int = 0,
        split: str | None = None,
        task: str | None = None,
        steps: int | None = None,
        **options: Any,
    ) -> Session:
        """A session of the episode that `gymnasium.make` and `reset(seed=seed)` give.

        One whose world fails to start is masked; for a group of identical ones, `fork` it.

        Args:
            problem: id; None to draw one by the seed, of `split` (train, test) if given.
            task: `detection` ..., `openrca_bank` ...; that of the problem, or detection, if not given.
            steps: actions at most; None for as many as `gymnasium.make` allows.
            options: further arguments of the environment, such as `evaluation="aiopslab"` or `tools="all"`.

        Raises:
            CatalogError: there is no such problem, or the environment takes no such argument.
        """
        name = find_env(problem, task)
        try:
            seed = whole("seed", seed, 0)
            limit = whole("steps", gym.spec(name).max_episode_steps if steps is None else steps, 1)
            made = gym.make(name, disable_env_checker=True, problem=problem, split=split, **options)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"{name} cannot be made so: {error}") from None
        env: Env = made.unwrapped  # type: ignore[assignment]  # One of ours.
        with _ONE_AT_A_TIME:
            return self._admit(lambda: (env.reset(seed=seed), env)[1], limit)

    def sweep(self) -> int:
        """End the sessions that were idle for too long; how many were. Each call to a session does so too."""
        with _ONE_AT_A_TIME:
            latest = self.clock() - self.idle
            late = list(takewhile(lambda session: self._used[session] <= latest, self._used))
            for session in late:
                session._end(f"nobody used it for {self.idle:g} seconds")
            return len(late)

    def close(self) -> None:
        """End all sessions."""
        for session in list(self._used):
            session.close()

    def _admit(self, begin: Callable[[], Env], steps: int) -> Session:
        self.sweep()
        if len(self) >= self.limit:
            many = f"{len(self)} session{'s are' if len(self) > 1 else ' is'} open already, the limit"
            return Session(self, None, steps, many)
        try:
            session = Session(self, begin(), steps)
        except CatalogError:
            raise
        except Exception as error:  # noqa: BLE001  # As above.
            session = Session(self, None, steps, describe_error(error))
            session._broke(error)
        else:
            self._used[session] = self.clock()
        return session

    def _touch(self, session: Session) -> None:
        self.sweep()
        if session in self._used:
            self._used[session] = self.clock()
            self._used.move_to_end(session)

    def _forget(self, session: Session) -> None:
        self._used.pop(session, None)
