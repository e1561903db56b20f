"""What all environments of the suite share: text in, text out, one episode at a time that can be saved and branched."""

from __future__ import annotations

import copy
import inspect
import operator
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Self, TypeVar
from weakref import WeakSet

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from aiops_gym.envs import picture, render, saved
from aiops_gym.envs.budget import SPENT, Budget, write_short
from aiops_gym.envs.parts import PromptParts
from aiops_gym.envs.seam import Closing, World
from aiops_gym.envs.space import LIMIT, UnicodeText
from aiops_gym.envs.state import State
from aiops_gym.errors import BackendError, SnapshotError, ToolError, ask_did_you_mean, make_hint
from aiops_gym.tasks.form import Form
from aiops_gym.tools import Context, Tool, parse, run
from aiops_gym.tools.clip import clip, utf8
from aiops_gym.types import Result, Verdict

ACTION_SECONDS = 5.0
"""What each action costs, whatever it is."""

FORMATS = ("tolerant", "strict")

OVER = "The episode is over. Call reset() to begin another one."
RECEIVED = "Your submission has been received. The episode is over."
BROKEN = "The environment broke, through no fault of yours: {}. The episode is over."

OPTIONS = ("episode_seed", "problem")

Turn = tuple[str, float, bool, bool, dict[str, Any]]
W = TypeVar("W", bound=World)


class EpisodeEnv(gym.Env[str, str], Generic[W]):
    """An agent that acts by API calls in text, in a world that a subclass opens and judges.

    Attributes:
        task: name of the task, shown in every info.
        world: what the world was made with, as JSON data: a snapshot fits only where it is the same.
        example: a right action, shown to an agent whose text is none.
        clock: name of the time in the results.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human", "rgb_array"], "render_fps": 4}  # noqa: RUF012  # Declared by Gymnasium.

    task: str
    example: str
    clock: str

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Raises TypeError for an argument that there is not, with the one that may be meant."""
        known = inspect.signature(cls.__init__).parameters
        for name in given if not any(each.kind is each.VAR_KEYWORD for each in known.values()) else ():
            if name not in known:
                near = make_hint(name, set(known) - {"self"})
                raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {name!r}: {near}")
        return super().__new__(cls)

    def __init__(
        self,
        world: dict[str, Any],
        observation_limit: int,
        log_dedup: int,
        action_format: str,
        render_mode: str | None,
        budget: int | None = None,
    ) -> None:
        one_of("action_format", action_format, FORMATS)
        self.world = world
        self.observation_limit = min(whole("observation_limit", observation_limit, 1), LIMIT)
        self.log_dedup = whole("log_dedup", log_dedup, 0)
        self.action_format = action_format
        self.render_mode = render_mode
        self.budget = None if budget is None else Budget(whole("budget", budget, 1))
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self._state: State | None = None
        self._backend: W | None = None
        self._around: WeakSet[gym.Wrapper[Any, Any, Any, Any]] = WeakSet()

    @abstractmethod
    def _known(self, problem: str) -> str:
        """The id of a problem of this environment. Raises CatalogError for another."""

    @abstractmethod
    def _draw(self, seed: int) -> str:
        """Id of the problem that an episode's seed draws."""

    @abstractmethod
    def _open(self, problem: str, seed: int) -> W:
        """The world of an episode at its start."""

    @abstractmethod
    def _restored(self, data: bytes) -> W:
        """The world that continues from a snapshot's bytes."""

    @abstractmethod
    def _prompt(self, problem: str, backend: W) -> str:
        """The first observation."""

    @abstractmethod
    def _parts(self, problem: str, backend: W) -> PromptParts:
        """What the first observation is made of."""

    @property
    @abstractmethod
    def tools(self) -> Mapping[str, Tool]:
        """What may be called, `submit` included."""

    @abstractmethod
    def _accept(self, answer: Any) -> Any:
        """A submission in its one form, JSON data. Raises ToolError when it is none."""

    @abstractmethod
    def _judge(self, answer: Any, state: State, backend: W) -> Verdict:
        """What an accepted answer is worth."""

    def _judge_unsubmitted(self, state: State, backend: W) -> Verdict | None:
        """What an episode is worth in which no answer was given; None where nobody asks."""
        return None

    def _ends(self, state: State, backend: W) -> str:
        """Why the episode ends here without an answer; "" where it goes on."""
        return ""

    @abstractmethod
    def reference_actions(self) -> list[str]:
        """Action texts that solve the current episode, for tests and demonstrations."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode: a problem drawn by the seed, or the one in `options`.

        Args:
            seed: of the environment's own stream, from which the episode's seed is drawn.
            options: `problem` is an id; `episode_seed` repeats the episode whose info showed it.

        Raises:
            CatalogError: an unknown problem; the running episode, if any, goes on.
        """
        chosen, episode_seed = self._options(options or {})
        super().reset(seed=seed)
        if episode_seed is None:
            episode_seed = int(self.np_random.integers(2**63))
        problem = chosen or self._draw(episode_seed)
        if isinstance(self._backend, Closing):
            self.close()
        self._backend = self._open(problem, episode_seed)
        self._state = state = State(problem, episode_seed)
        text = self.prompt
        state.spent = self.budget.begin(text, self.tools) if self.budget else 0
        state.last = (None, text, 0.0)
        state.info = self._info(state, "", "")
        self._show()
        return text, _fresh(state.info)

    def step(self, action: str) -> Turn:
        """Carry out one action. Whatever the text is, this returns."""
        state, backend = self._running()
        if state.over:
            return OVER, 0.0, True, False, self._info(state, "", "submission", over=True)
        state.step += 1
        tool, broken, verdict = "", False, None
        spent = self.budget is not None and self.budget.is_spent(state.spent)
        try:
            backend.spend(ACTION_SECONDS)
            tool, result = self._call(action, backend)
            state.time = round(backend.now() - backend.began, 3)
            verdict = self._judge(result.answer, state, backend) if result.final else None
            if spent and verdict is None:
                result, verdict = Result(SPENT), self._judge_unsubmitted(state, backend)
            elif verdict is None and (why := self._ends(state, backend)):
                result, verdict = Result(why, result.error), self._judge_unsubmitted(state, backend)
        except BackendError as error:
            result, broken = Result(BROKEN.format(error)), True
        text = RECEIVED if result.final else clip(utf8(result.text), self.observation_limit)
        written = utf8(action)[:LIMIT] if isinstance(action, str) else repr(action)[:LIMIT]
        state.over = broken or spent or verdict is not None
        if self.budget is not None and not state.over:
            text, state.spent = self.budget.fit(text, written, state.spent)
        state.note(written, "" if verdict else text)
        state.info = self._info(state, tool, result.error, verdict, broken)
        reward = float(verdict.reward) if verdict else 0.0
        state.last = (written, text, reward)
        self._show()
        return text, reward, state.over, False, _fresh(state.info)

    def grade(self) -> tuple[float, dict[str, Any]]:
        """What the episode is worth if a limit of steps ends it here: a reward, and the last info with the verdict.

        With `evaluation="aiopslab"` that is what the original gives then. Otherwise, and where there is a verdict
        already, it is 0 and the last info. Nothing changes.
        """
        state, backend = self._running()
        tool, error = state.info["tool"], state.info["error"]
        try:
            verdict = None if state.over else self._judge_unsubmitted(state, backend)
        except BackendError:
            return 0.0, self._info(state, tool, error, broken=True)
        if verdict is None:
            return 0.0, _fresh(state.info)
        return float(verdict.reward), self._info(state, tool, error, verdict)

    def render(self) -> str | NDArray[np.uint8] | None:
        """The last turn: "ansi" in colour, "rgb_array" as a picture; "human" is printed as it happens.

        A picture also shows how the system does, so it is for people and never for an agent.

        Raises:
            BackendError: a picture is asked for, and Pillow is not installed.
        """
        if self._state is None:
            return None
        if self.render_mode == "rgb_array":
            return self._painted(self._state)
        return self._picture(self._state) if self.render_mode == "ansi" else None

    @abstractmethod
    def explanation(self) -> dict[str, str]:
        """For whoever has finished the episode: the `fault`, the right `answer` and a `repair`, "" for none."""

    @abstractmethod
    def form(self) -> Form:
        """What a person is asked for who submits an answer to the current episode."""

    @property
    def prompt(self) -> str:
        """The first observation of the current episode."""
        state, backend = self._running()
        if self.budget is not None:
            return utf8(write_short(self._parts(state.problem, backend)))[:LIMIT]
        return utf8(self._prompt(state.problem, backend))[:LIMIT]

    @property
    def last(self) -> Turn:
        """What the last step, or `reset`, returned: of the episode as it stands, branched or restored ones too."""
        state, _ = self._running()
        return state.last[1], state.last[2], state.over, False, _fresh(state.info)

    @property
    def prompt_parts(self) -> PromptParts:
        """What the first observation of the current episode says, in parts: task, instructions, APIs, candidates."""
        return self._parts(self._running()[0].problem, self._running()[1])

    def calls(self) -> list[list[str]]:
        """Who calls whom in the application, "" for users; empty where that is not known. For the trainer only."""
        return []

    def health(self) -> dict[str, Any]:
        """How each component does now; empty where that is not known. For the trainer only; changes nothing."""
        return {}

    def signals(self) -> dict[str, Any]:
        """What telemetry says of the episode until now; empty where nothing does. For the trainer only."""
        return {}

    def snapshot(self) -> bytes:
        """All of the episode, random streams included, as versioned data."""
        state, backend = self._running()
        header = {
            "task": self.task,
            "world": self.world,
            "state": state.to_json(),
            "random": saved.generator_to_json(self._np_random),
            "sampling": saved.generator_to_json(self.action_space._np_random),
        }
        return saved.pack(header, backend.snapshot())

    def restore(self, data: bytes) -> None:
        """Continue from a snapshot of an environment made with the same arguments, in this process or another.

        Raises:
            SnapshotError: no snapshot, one of another version, or one of another task or world; or there are wrappers
                around this that remember the episode before, and would go on with it.
        """
        if around := sorted({type(each).__name__ for each in self._around}):
            raise SnapshotError(
                f"{', '.join(around)} around this would go on with what they remember of the episode before: use "
                "snapshot() and restore() of the stack, or aiops_gym.wrappers.snapshot(env) and restore(env, data)"
            )
        self.go_on(data)

    def go_on(self, data: bytes) -> None:
        """Continue from a snapshot, whatever stands around: for who restores that too, as `wrappers.restore` does."""
        header, body = self.check(data)
        state = State.from_json(header.get("state"))
        self._backend = self._restored(body)
        self._state = state
        self._np_random = saved.generator_from_json(header.get("random"))
        self.action_space._np_random = saved.generator_from_json(header.get("sampling"))  # type: ignore[assignment]

    def check(self, data: bytes) -> tuple[dict[str, Any], bytes]:
        """Header and body of a snapshot. Raises SnapshotError for one that does not fit here."""
        header, body = saved.unpack(data)
        if "stack" in header:
            raise SnapshotError("the snapshot was taken of a stack of wrappers: restore it on such a stack")
        for name, own in (("task", self.task), ("world", self.world)):
            if header.get(name) != own:
                raise SnapshotError(f"the snapshot was taken with {name} {header.get(name)!r}, here it is {own!r}")
        return header, body

    def stand_around(self, wrapper: gym.Wrapper[Any, Any, Any, Any]) -> None:
        """Note a wrapper that remembers something of the episode, for as long as it is there."""
        self._around.add(wrapper)

    def fork(self, n: int = 1) -> list[Self]:
        """Independent environments that continue from here and share what does not change."""
        return [self._twin() for _ in range(n)]

    @property
    def episode(self) -> tuple[str, int]:
        """Problem and seed of the current episode, which repeat it. For the trainer only."""
        state = self._running()[0]
        return state.problem, state.episode_seed

    @property
    def began(self) -> float:
        """Unix seconds of the world's clock at which the episode began."""
        return self._running()[1].began

    def close(self) -> None:
        """Forget the episode; what it left in a real cluster is taken out."""
        backend, self._state, self._backend = self._backend, None, None
        if isinstance(backend, Closing):
            backend.close()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A fork."""
        return self._twin()

    def __getstate__(self) -> dict[str, Any]:
        """All attributes, the backend as bytes."""
        if self._state is not None:
            self._state.count()
        kept = {name: value for name, value in self.__dict__.items() if name != "_around"}
        return {**kept, "_backend": self._backend.snapshot() if self._backend else None}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        """The attributes, and a backend that continues from those bytes."""
        self.__dict__.update(attributes, _backend=None, _around=WeakSet())
        if attributes["_backend"] is not None and self._state is not None:
            self._backend = self._restored(attributes["_backend"])

    def _twin(self) -> Self:
        other = copy.copy(self) if self._backend is None else self._shallow()
        other._around = WeakSet()
        other._np_random = saved.twin(self._np_random)
        other.observation_space = saved.twin_space(self.observation_space)
        other.action_space = saved.twin_space(self.action_space)
        return other

    def _shallow(self) -> Self:
        assert self._state is not None
        assert self._backend is not None
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__, _state=self._state.copy(), _backend=self._backend.fork())
        return other

    def _options(self, options: dict[str, Any]) -> tuple[str | None, int | None]:
        for name in options:
            one_of("reset option", name, OPTIONS)
        chosen, seed = options.get("problem"), options.get("episode_seed")
        if seed is not None:
            seed = whole("episode_seed", seed, 0)
            if seed >= 2**63:
                raise ValueError("episode_seed must be below 2**63")
        return (None if chosen is None else self._known(chosen)), seed

    def _call(self, action: Any, backend: W) -> tuple[str, Result]:
        """The tool that was called, if one was, and what came of it."""
        tool, tools = "", self.tools
        try:
            call = parse(action, strict=self.action_format == "strict", example=self.example)
            tool = call.name if call.name in tools else ""
            result = run(call, tools, Context(backend, self.log_dedup, self._limit))
            if result.final:
                result = Result(result.text, final=True, answer=self._accept(result.answer))
        except ToolError as error:
            return tool, Result(str(error), error.code)
        return tool, result

    @property
    def _limit(self) -> int:
        """Characters of a tool's output, for those that leave out whole rows."""
        if self.budget is None or self._state is None:
            return self.observation_limit
        return min(self.observation_limit, self.budget.characters(self._state.spent))

    def _info(
        self,
        state: State,
        tool: str,
        error: str,
        verdict: Verdict | None = None,
        broken: bool = False,
        over: bool = False,
    ) -> dict[str, Any]:
        """Every key, every time, of one type for ever; new containers each time."""
        results: dict[str, Any] = {}
        if verdict is not None:
            results = {self.clock: state.time, **state.numbers(), **verdict.results}
        return {
            "problem": state.problem,
            "task": self.task,
            "episode_seed": state.episode_seed,
            "step": state.step,
            "time": state.time,
            "tool": tool,
            "error": error,
            "valid_action": not error and not broken,
            "is_success": bool(verdict and verdict.success),
            "infra_error": broken,
            "reward_components": dict(verdict.components) if verdict else {},
            "results": results,
        }

    def _running(self) -> tuple[State, W]:
        if self._state is None or self._backend is None:
            raise gym.error.ResetNeeded("call reset() first")
        return self._state, self._backend

    def _picture(self, state: State) -> str:
        action, observation, reward = state.last
        return render.render_turn(action, observation, reward, state.over, state.info)

    def _painted(self, state: State) -> NDArray[np.uint8]:
        words = render.strip_colours(render.render_verdict(state.last[2], state.info)) if state.over else ""
        return picture.draw_picture(state.last, state.info, self.calls(), self.health(), words, self.signals())

    def _show(self) -> None:
        if self.render_mode == "human" and self._state is not None:
            render.show(self._picture(self._state))


def _fresh(info: dict[str, Any]) -> dict[str, Any]:
    """An info that shares no container with the one that is kept."""
    return {**info, "reward_components": dict(info["reward_components"]), "results": dict(info["results"])}


def one_of(what: str, value: Any, allowed: Sequence[object]) -> None:
    """Raises ValueError for a value that is not among those allowed."""
    if value not in allowed:
        near = ask_did_you_mean(value, map(str, allowed))
        raise ValueError(f"{what} must be one of {', '.join(map(str, allowed))}, not {value!r}{near and '; ' + near}")


def whole(what: str, value: Any, least: int) -> int:
    """A whole number that is not too small. Raises ValueError."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{what} must be a whole number, {least} or more, not {value!r}")
    return number
