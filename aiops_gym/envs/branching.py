"""Branching a whole stack: an environment together with what the wrappers around it remember.

Wrappers of this package name what an episode changes in them (`Remembering`). Of all others, Gymnasium's own included,
everything counts that can change: all attributes but the spaces, the functions and what they were made with.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Self, TypeAlias

import gymnasium as gym

from aiops_gym.envs import plain, saved
from aiops_gym.envs.episode import EpisodeEnv
from aiops_gym.errors import SnapshotError

Env: TypeAlias = gym.Env[Any, Any]
Wrapper: TypeAlias = gym.Wrapper[Any, Any, Any, Any]

MADE_WITH = frozenset({"env", "_saved_kwargs", "_cached_spec", "_metadata", "_action_space", "_observation_space"})
"""What every wrapper of Gymnasium has and no episode changes."""


class Branching(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper with which a stack from here inwards can be branched as a whole."""

    def fork(self, n: int = 1) -> list[Self]:
        """Independent stacks that continue from here, see `fork`."""
        return fork(self, n)  # type: ignore[return-value]  # As many wrappers, of the same classes.

    def snapshot(self) -> bytes:
        """All of the episode, with what the wrappers remember, see `snapshot`."""
        return snapshot(self)

    def restore(self, data: bytes) -> None:
        """Continue from a snapshot of such a stack, see `restore`."""
        restore(self, data)


class Remembering(Branching):
    """A wrapper that remembers something of the episode: below it, the environment is not restored on its own.

    Attributes:
        MEMORY: names of the attributes that an episode changes.
        PLACES: names of the arguments that may be others where a snapshot is restored.
    """

    MEMORY: ClassVar[tuple[str, ...]] = ()
    PLACES: ClassVar[tuple[str, ...]] = ()

    def __init__(self, env: Env) -> None:
        gym.Wrapper.__init__(self, env)
        self._tell()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._tell()
        return observation, info

    def recall(self) -> dict[str, Any]:
        """What it remembers, in values that `envs.plain` can write."""
        return {name: getattr(self, name) for name in self.MEMORY}

    def remember(self, memory: dict[str, Any]) -> None:
        """Go on with what `recall` gave."""
        for name in self.MEMORY:
            setattr(self, name, memory[name])

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        """The attributes, of a copy or a pickle."""
        self.__dict__.update(attributes)
        self._tell()

    def _tell(self) -> None:
        """Let the environment inside know: it may be another one in each episode."""
        inner = self.unwrapped
        if isinstance(inner, EpisodeEnv):
            inner.stand_around(self)


def fork(env: Env, n: int = 1) -> list[Env]:
    """Independent copies of a stack that continue from here and share what does not change.

    >>> import aiops_gym
    >>> env = gym.make("aiops_gym/Detection-v0", max_episode_steps=2)
    >>> _ = env.reset(seed=1)
    >>> _ = env.step("hello")
    >>> [branch.step("hello")[3] for branch in fork(env, 2)]
    [True, True]
    """
    return [_twin(env, {}) for _ in range(n)]


def snapshot(env: Env) -> bytes:
    """All of the episode of a stack, and what its wrappers remember, as versioned data.

    Raises:
        SnapshotError: there is no environment of this package inside, or a wrapper remembers what cannot be written.
    """
    layers = [{**_made(wrapper), "memory": _written(wrapper)} for wrapper in _wrappers(env)]
    inner = _inner(env)
    return saved.pack({"stack": layers}, inner.snapshot()) if layers else inner.snapshot()


def restore(env: Env, data: bytes) -> None:
    """Continue from a snapshot of a stack of the same wrappers, made with the same arguments, in any process.

    Raises:
        SnapshotError: no snapshot, or one of another stack.
    """
    header, body = saved.unpack(data)
    inner, wrappers, layers = _inner(env), list(_wrappers(env)), header.get("stack", [])
    if not wrappers and not layers:
        inner.restore(data)
        return
    _compare(layers, wrappers)
    inner.check(body)
    memories = [_read(wrapper, layer["memory"]) for wrapper, layer in zip(wrappers, layers, strict=True)]
    for wrapper, memory in zip(wrappers, memories, strict=True):
        _remind(wrapper, memory)
    _inner(env).go_on(body)  # another one than before, where a wrapper remembers which


def _wrappers(env: Env) -> Iterator[Wrapper]:
    """From the outermost to the innermost."""
    while isinstance(env, gym.Wrapper):
        yield env
        env = env.env


def _inner(env: Env) -> EpisodeEnv[Any]:
    inner = env.unwrapped
    if not isinstance(inner, EpisodeEnv):
        raise SnapshotError(f"{type(inner).__name__} is no environment that can be branched")
    return inner


def _name(wrapper: Wrapper) -> str:
    return type(wrapper).__name__


def _made(wrapper: Wrapper) -> dict[str, Any]:
    """Its class, and what of its arguments can be compared."""
    places = wrapper.PLACES if isinstance(wrapper, Remembering) else ()
    written: dict[str, Any] = {}
    for name, value in getattr(wrapper, "_saved_kwargs", {}).items():
        with suppress(TypeError):
            written |= {} if name in places else {name: plain.encode(value)}
    return {"wrapper": _name(wrapper), "made": written}


def _compare(layers: Sequence[dict[str, Any]], wrappers: Sequence[Wrapper]) -> None:
    """Raises SnapshotError where the wrappers are not those that the snapshot was taken of."""
    there, here = [each["wrapper"] for each in layers], [_name(each) for each in wrappers]
    if there != here:
        said = (" in ".join(names) or "no wrapper at all" for names in (there, here))
        raise SnapshotError("the snapshot was taken of {}, and here is {}".format(*said))
    for layer, wrapper in zip(layers, wrappers, strict=True):
        if layer["made"] != (own := _made(wrapper)["made"]):
            raise SnapshotError(f"{_name(wrapper)} was made with {layer['made']}, and here it is with {own}")


def _changing(wrapper: Wrapper) -> Collection[str]:
    """Names of the attributes that an episode changes."""
    return wrapper.MEMORY if isinstance(wrapper, Remembering) else _memory(wrapper)


def _memory(wrapper: Wrapper) -> dict[str, Any]:
    if isinstance(wrapper, Remembering):
        return wrapper.recall()
    return {name: value for name, value in vars(wrapper).items() if name not in MADE_WITH and not _is_made(value)}


def _is_made(value: Any) -> bool:
    """Whether it is what a wrapper was made with: a function, a class or a space."""
    return callable(value) or isinstance(value, gym.Space)


def _written(wrapper: Wrapper) -> dict[str, Any]:
    written = {}
    for name, value in _memory(wrapper).items():
        try:
            written[name] = plain.encode(value)
        except TypeError as error:
            raise SnapshotError(f"{_name(wrapper)} remembers {name}, and {error}: only fork() copies it") from None
    return written


def _read(wrapper: Wrapper, written: dict[str, Any]) -> dict[str, Any]:
    before = _memory(wrapper)
    if written.keys() != before.keys():
        raise SnapshotError(f"the snapshot was taken of another {_name(wrapper)}: it remembers {', '.join(written)}")
    return {name: plain.decode(value, before[name]) for name, value in written.items()}


def _remind(wrapper: Wrapper, memory: dict[str, Any]) -> None:
    if isinstance(wrapper, Remembering):
        wrapper.remember(memory)
    else:
        vars(wrapper).update(memory)


def _twin(env: Env, copies: dict[int, Any]) -> Env:
    """An independent copy; `copies` is that of `copy.deepcopy`, for wrappers that keep what stands inside of them."""
    if not isinstance(env, gym.Wrapper):
        return copy.deepcopy(env, copies)
    inside = copies[id(env.env)] = _twin(env.env, copies)
    twin: Wrapper = object.__new__(type(env))
    own: dict[str, Any] = env.__getstate__() if isinstance(env, Remembering) else vars(env)  # type: ignore[assignment]
    changing = _changing(env)
    parts = {name: copy.deepcopy(value, copies) if name in changing else value for name, value in own.items()}
    spaces = {name: saved.twin_space(value) for name, value in own.items() if isinstance(value, gym.Space)}
    attributes = {**parts, **spaces, "env": inside}
    if isinstance(twin, Remembering):
        twin.__setstate__(attributes)
    else:
        vars(twin).update(attributes)
    copies[id(env)] = twin
    return twin
