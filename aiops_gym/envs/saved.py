"""Environments as bytes: a line that names the format, a header in JSON, and the backend's own bytes. Never pickle."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium as gym
import numpy as np
import orjson

from aiops_gym.errors import SnapshotError

MAGIC = b"aiops_gym environment 1\n"


def pack(header: dict[str, Any], body: bytes) -> bytes:
    """One snapshot."""
    head = orjson.dumps(header)
    return b"%b%d\n%b%b" % (MAGIC, len(head), head, body)


def unpack(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and body of a snapshot.

    Raises:
        SnapshotError: these bytes are none, or of another format.
    """
    if not isinstance(data, (bytes, bytearray)) or not data.startswith(MAGIC):
        raise SnapshotError("these bytes are no snapshot of this version of aiops_gym")
    try:
        size, _, rest = bytes(data[len(MAGIC) :]).partition(b"\n")
        header, body = orjson.loads(rest[: int(size)]), rest[int(size) :]
    except ValueError as error:
        raise SnapshotError(f"the snapshot is damaged: {error}") from None
    if not isinstance(header, dict):
        raise SnapshotError("the snapshot is damaged: it has no header")
    return header, body


def generator_to_json(generator: np.random.Generator | None) -> Any:
    """A generator's state; 128-bit numbers as text."""
    return None if generator is None else _text(generator.bit_generator.state)


def generator_from_json(data: Any) -> np.random.Generator | None:
    """A generator that continues where that state was."""
    if data is None:
        return None
    bits = np.random.PCG64(0)
    bits.state = _numbers(data)
    return np.random.Generator(bits)


def twin(generator: np.random.Generator | None) -> np.random.Generator | None:
    """An independent generator in the same state."""
    return generator_from_json(generator_to_json(generator))


def twin_space(space: gym.Space[Any]) -> Any:
    """A space of the same values that samples on its own from here on."""
    other = copy.copy(space)
    other._np_random = twin(space._np_random)  # type: ignore[assignment]  # None until it is needed
    if isinstance(space, gym.spaces.Dict):
        other.spaces = {name: twin_space(part) for name, part in space.spaces.items()}  # type: ignore[attr-defined]
    elif isinstance(space, gym.spaces.Tuple):
        other.spaces = tuple(map(twin_space, space.spaces))  # type: ignore[attr-defined]
    return other


def _text(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _text(inner) for key, inner in value.items()}
    return f"{value}" if isinstance(value, int) else value


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _numbers(inner) for key, inner in value.items()}
    return int(value) if isinstance(value, str) and value.isdecimal() else value
