"""Many environments in one process behind Gymnasium's interface for vectors.

The worlds share what does not change (catalogue, healthy baselines, compiled commands), so 256 of them need no file
descriptor each and some megabytes, not a process. Nothing is sent between processes, and the infos of a step are merged
once and not environment by environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from gymnasium.wrappers import TimeLimit
from numpy.typing import NDArray

from aiops_gym.catalog.model import INCIDENT
from aiops_gym.envs.incident import IncidentEnv
from aiops_gym.envs.infos import Infos, merge_infos
from aiops_gym.envs.limit import GradedAtLimit
from aiops_gym.envs.live import LiveEnv
from aiops_gym.envs.recorded import RecordedEnv
from aiops_gym.ids import INCIDENT_STEPS, RECORDED
from aiops_gym.openrca import domains
from aiops_gym.tasks.base import find

Env: TypeAlias = gym.Env[Any, Any]
Batch: TypeAlias = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]

STEPS = 30
"""Actions of an episode at most, where the registration does not say."""


class WorldsVectorEnv(VectorEnv[Any, Any, Any]):
    """Environments of equal spaces, stepped one after another.

    Observations, rewards and infos are those of `gymnasium.vector.SyncVectorEnv`, and so are the seeds: environment i
    of `reset(seed=s)` gets `s + i`. Attributes and methods are reached with `call`, such as `call("action_masks")`.

    Args:
        envs: at least one; they are closed with this.
        autoreset_mode: what happens after the end of an episode, an `AutoresetMode` or its value: "NextStep" resets in
            the next step, whose action is ignored; "SameStep" at once, with the last observation and info in the
            infos' `final_obs` and `final_info`; "Disabled" waits for `reset(options={"reset_mask": ...})`.

    Raises:
        ValueError: no environments, or some whose spaces differ.

    >>> envs = WorldsVectorEnv([LiveEnv("detection") for _ in range(2)])
    >>> texts, infos = envs.reset(seed=3)
    >>> [text.split(".")[0] for text in texts]
    ['You are an experienced site reliability engineer', 'You are an experienced site reliability engineer']
    >>> envs.step(["hello"] * 2)[4]["error"].tolist()
    ['parse', 'parse']
    >>> envs.close()
    """

    def __init__(self, envs: Sequence[Env], autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP) -> None:
        super().__init__()
        self.envs = list(envs)
        if not self.envs:
            raise ValueError("a vector needs at least one environment")
        self.num_envs = len(self.envs)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        first = self.envs[0]
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = first.render_mode
        self.single_observation_space, self.single_action_space = first.observation_space, first.action_space
        for name in ("observation_space", "action_space"):
            if any(getattr(env, name) != getattr(first, name) for env in self.envs):
                raise ValueError(f"the environments of a vector must have the same {name}")
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._observations: list[Any] = [None] * self.num_envs
        self._ended = np.zeros(self.num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, Infos]:
        """Begin an episode in each environment, or in those that `options["reset_mask"]` marks.

        Args:
            seed: of the first environment, each next one gets one more; or one for each.
            options: given to each environment; `reset_mask` is a boolean array of one element each.

        Raises:
            ValueError: not one seed for each, or a mask that is none or marks none.
        """
        seeds = self._seeds(seed)
        rest = dict(options or {})
        mask = self._mask(rest.pop("reset_mask")) if "reset_mask" in rest else np.ones(self.num_envs, np.bool_)
        infos: list[Infos | None] = [None] * self.num_envs
        for i in np.flatnonzero(mask).tolist():
            self._observations[i], infos[i] = self.envs[i].reset(seed=seeds[i], options=rest or None)
        self._ended[mask] = False
        return self._batch(), merge_infos(infos)

    def step(self, actions: Any) -> Batch:
        """One action in each environment.

        Raises:
            ValueError: not one action for each environment; a single text is not one for each character.
            gymnasium.error.ResetNeeded: an episode has ended and autoreset is disabled.
        """
        n, mode = self.num_envs, self.autoreset_mode
        rewards, terminated, truncated = np.zeros(n), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        infos: list[Infos | None] = [None] * n
        ended = self._ended.tolist()
        if mode is AutoresetMode.DISABLED and any(ended):
            raise gym.error.ResetNeeded('an episode has ended: call reset(options={"reset_mask": ...}) first')
        for i, action in enumerate(self._each(actions)):
            env = self.envs[i]
            if ended[i]:
                self._observations[i], infos[i] = env.reset()
                continue
            observation, reward, terminated[i], truncated[i], info = env.step(action)
            rewards[i] = float(reward)
            if mode is AutoresetMode.SAME_STEP and (terminated[i] or truncated[i]):
                last = {"final_obs": observation, "final_info": info}
                observation, fresh = env.reset()
                info = {**last, **fresh}
            self._observations[i], infos[i] = observation, info
        if mode is not AutoresetMode.SAME_STEP:
            self._ended = terminated | truncated
        return self._batch(), rewards, terminated, truncated, merge_infos(infos)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each environment or of a wrapper around it, or read an attribute."""
        found = [env.get_wrapper_attr(name) for env in self.envs]
        return tuple(each(*args, **kwargs) if callable(each) else each for each in found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of each environment."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each environment, from one value for all or a list or tuple of one each.

        Raises:
            ValueError: not one value for each.
        """
        each = values if isinstance(values, (list, tuple)) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise ValueError(f"{self.num_envs} values are needed, not {len(each)}")
        for env, value in zip(self.envs, each, strict=True):
            env.set_wrapper_attr(name, value)

    def render(self) -> tuple[Any, ...]:
        """The picture of each environment."""
        return tuple(env.render() for env in self.envs)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]  # as Gymnasium's own vectors
        """The random stream of each environment."""
        return self.call("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]  # as Gymnasium's own vectors
        """The seed of each environment's stream."""
        return self.call("np_random_seed")

    def close_extras(self, **kwargs: Any) -> None:
        """Close each environment."""
        for env in self.envs:
            env.close()

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"{self.num_envs} seeds are needed, not {len(seed)}")
        return list(seed)

    def _mask(self, mask: Any) -> NDArray[np.bool_]:
        given = np.asarray(mask)
        if given.shape != (self.num_envs,) or given.dtype != np.bool_ or not given.any():
            raise ValueError(f"reset_mask must be {self.num_envs} booleans of which at least one is true")
        return given

    def _each(self, actions: Any) -> Iterator[Any]:
        if isinstance(actions, str):
            raise ValueError("one text for each environment is needed, in a list or tuple")
        text = isinstance(self.single_action_space, gym.spaces.Text)
        each = list(map(_plain, actions)) if text else list(iterate(self.action_space, actions))
        if len(each) != self.num_envs:
            raise ValueError(f"{self.num_envs} actions are needed, not {len(each)}")
        return iter(each)

    def _batch(self) -> Any:
        """The observations, new containers each time."""
        out: Any = create_empty_array(self.single_observation_space, n=self.num_envs, fn=np.zeros)
        return concatenate(self.single_observation_space, self._observations, out)


def _plain(action: Any) -> Any:
    """A text as `str`, where it came in an array of NumPy."""
    return str(action) if isinstance(action, str) else action


def incidents(num_envs: int = 1, *, task: str = "detection", **kwargs: Any) -> WorldsVectorEnv:
    """Live incidents of a task side by side; see `vector` for what it takes. Each has the `spec` of its registration.

    >>> envs = incidents(2, task="mitigation", noise=False, max_episode_steps=10)
    >>> envs.envs[0].spec.id, envs.envs[0].spec.max_episode_steps, envs.envs[0].spec.kwargs["noise"]
    ('aiops_gym/Mitigation-v0', 10, False)
    """
    name = find(task).name
    make = IncidentEnv if name == INCIDENT else LiveEnv
    steps = {"max_episode_steps": INCIDENT_STEPS + 1} if name == INCIDENT else {}
    return vector(make, num_envs, id_=f"aiops_gym/{name.capitalize()}-v0", **{**steps, **kwargs})


def recorded(num_envs: int = 1, *, domain: str = "bank", **kwargs: Any) -> WorldsVectorEnv:
    """Recorded incidents of a domain side by side, likewise."""
    wanted = domains.find(domain)[0].name
    name = next(name for name, given in RECORDED.items() if given["domain"] == wanted)
    return vector(RecordedEnv, num_envs, id_=f"aiops_gym/{name}-v0", **kwargs)


def vector(
    make: Callable[..., Env],
    num_envs: int,
    *,
    id_: str = "",
    max_episode_steps: int = STEPS,
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    wrap: Callable[[Env], Env] | None = None,
    **kwargs: Any,
) -> WorldsVectorEnv:
    """Environments of one kind side by side.

    Args:
        make: makes one from `kwargs`.
        num_envs: how many.
        id_: of their registration, whose arguments they get too and which their `spec` names, so that wrappers know
            the limit of steps and an episode can be made again; "" for none.
        max_episode_steps: after which an episode is truncated; below 1 for no limit, as in `gymnasium.make`.
        autoreset_mode: see `WorldsVectorEnv`.
        wrap: puts wrappers around each, such as `lambda env: HashedText(MacroActions(env))`.
    """
    given = {**(gym.spec(id_).kwargs if id_ else {}), **kwargs}

    def one() -> Env:
        env = make(**given)
        if id_:  # as `gymnasium.make` has it, without its wrapper around it, which costs time in each step
            env.unwrapped.spec = replace(
                gym.spec(id_),
                max_episode_steps=None,
                order_enforce=False,
                disable_env_checker=True,
                additional_wrappers=(),
                kwargs=dict(given),
            )
        limited: Env = GradedAtLimit(TimeLimit(env, max_episode_steps)) if max_episode_steps > 0 else env
        return wrap(limited) if wrap else limited

    return WorldsVectorEnv([one() for _ in range(num_envs)], autoreset_mode)
