"""Protobuf request bodies: what kubectl sends for `create` since 1.32, as the JSON that it means.

`messages.json` beside this file is taken from a kubectl; `tests/serve/make_messages.py` says how. A plain field is sent
even when it is zero, so zeroes are dropped again, except where the server tells zero from nothing.
"""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import orjson

from aiops_gym.sim.kernel.nesting import DEEPEST, JSON_WORDS
from aiops_gym.sim.kube_api.decode import POINTERS
from aiops_gym.types import Json

MAGIC = b"k8s\0"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
PLAIN = frozenset(["str", "bool", "int", "num", "bytes"])


class ProtobufError(ValueError):
    """Bytes that are not the message they should be."""


class Slot(NamedTuple):
    """One field of a message: its name in JSON ("-" stands for the outer object), its type, and "", `[` or `{`."""

    name: str
    kind: str
    shape: str


@cache
def _data() -> Mapping[str, Mapping[str, Json]]:
    found: Mapping[str, Mapping[str, Json]] = orjson.loads(files(__package__).joinpath("messages.json").read_bytes())
    return found


@cache
def _slots(message: str) -> Mapping[int, Slot]:
    found = {}
    for number, text in _data()["messages"][message].items():
        name, kind = text.split(" ")
        shape = kind[0] if kind[0] in "[{" else ""
        found[int(number)] = Slot(name, kind.strip("[]{}"), shape)
    return found


def decode(body: bytes) -> Json:
    """The object in a body that begins with `k8s\\0`. Raises ProtobufError."""
    if not body.startswith(MAGIC):
        raise ProtobufError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    envelope = dict(_parts(memoryview(body)[len(MAGIC) :]))
    meta, raw = envelope.get(1), envelope.get(2, b"")
    if not isinstance(meta, memoryview) or isinstance(raw, int):
        raise ProtobufError("the envelope holds no type")
    names = {number: _text(value) for number, value in _parts(meta)}
    version, kind = names.get(1, ""), names.get(2, "")
    message = _data()["kinds"].get(f"{version}/{kind}" if kind != "DeleteOptions" else "v1/DeleteOptions")
    if message is None:
        raise ProtobufError(f'no kind "{kind}" is registered for version "{version}" in scheme "legacyscheme"')
    return {"apiVersion": version, "kind": kind, **_message(memoryview(raw), message, 0)}


def _parts(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message by number: whole numbers as they are, everything else as bytes."""
    at, end = 0, len(data)
    while at < end:
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield number, value
            continue
        if wire == 2:
            size, at = _varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ProtobufError(f"proto: illegal wireType {wire}")
        if number == 0:
            raise ProtobufError("proto: illegal tag 0")
        if at + size > end:
            raise ProtobufError("unexpected EOF")
        yield number, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ProtobufError("unexpected EOF")
        byte = data[at]
        at, value = at + 1, value | (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ProtobufError("proto: integer overflow")


def _message(data: memoryview, message: str, depth: int) -> dict[str, Json]:
    if depth > DEEPEST:
        raise ProtobufError(f"proto: {JSON_WORDS}")
    found: dict[str, Json] = {}
    slots = _slots(message)
    for number, raw in _parts(data):
        slot = slots.get(number)
        if slot is None:
            continue
        if slot.shape == "{":
            key, value = _entry(raw, slot.kind, depth)
            found.setdefault(slot.name, {})[key] = value
            continue
        value = _value(raw, slot.kind, depth)
        if slot.name == "-":
            found.update(value)
        elif slot.shape == "[":
            found.setdefault(slot.name, []).append(value)
        elif value or value == {} or (value is not None and slot.name in POINTERS) or slot.kind in KEPT:
            found[slot.name] = value
    return found


def _entry(raw: int | memoryview, kind: str, depth: int) -> tuple[str, Json]:
    """One entry of a map."""
    parts = dict(_parts(_bytes(raw)))
    empty: int | memoryview = 0 if kind in ("int", "bool") else memoryview(b"")
    return _text(parts.get(1, memoryview(b""))), _value(parts.get(2, empty), kind, depth)


def _value(raw: int | memoryview, kind: str, depth: int) -> Json:
    if kind in PLAIN:
        return _plain(raw, kind)
    special = SPECIAL.get(kind)
    if special is not None:
        return special(dict(_parts(_bytes(raw))))
    return _message(_bytes(raw), kind, depth + 1)


def _plain(raw: int | memoryview, kind: str) -> Json:
    if kind == "str":
        return _text(raw)
    if kind == "bytes":
        return b64encode(_bytes(raw)).decode()
    if kind == "num":
        data = _bytes(raw)
        return struct.unpack("<d" if len(data) == 8 else "<f", data)[0]
    number = _whole(raw)
    return bool(number) if kind == "bool" else number


def _whole(raw: int | memoryview) -> int:
    if not isinstance(raw, int):
        raise ProtobufError("proto: wrong wireType for a number")
    return raw - (1 << 64) if raw >= 1 << 63 else raw


def _bytes(raw: int | memoryview) -> memoryview:
    if isinstance(raw, int):
        raise ProtobufError("proto: wrong wireType for bytes")
    return raw


def _text(raw: int | memoryview) -> str:
    try:
        return str(_bytes(raw), "utf-8")
    except UnicodeDecodeError:
        raise ProtobufError("proto: invalid UTF-8 in a string") from None


Parts = Mapping[int, "int | memoryview"]


def _time(parts: Parts) -> str | None:
    """RFC 3339; the zero time means nothing."""
    seconds, nanos = _whole(parts.get(1, 0)), _whole(parts.get(2, 0))
    if not parts or seconds < -62_000_000_000:
        return None
    try:
        text = (EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")
    except OverflowError:
        raise ProtobufError("a time out of range") from None
    return f"{text}.{nanos // 1000:06d}Z" if nanos else f"{text}Z"


def _int_or_string(parts: Parts) -> Json:
    return _text(parts.get(3, memoryview(b""))) if parts.get(1) else _whole(parts.get(2, 0))


def _raw_json(parts: Parts) -> Json:
    """JSON inside protobuf."""
    try:
        return orjson.loads(_bytes(parts.get(1, memoryview(b""))) or b"null")
    except orjson.JSONDecodeError as error:
        raise ProtobufError(str(error)) from None


SPECIAL: Mapping[str, Callable[[Parts], Json]] = {
    "meta.v1.Time": _time,
    "meta.v1.MicroTime": _time,
    "api.resource.Quantity": lambda parts: _text(parts.get(1, memoryview(b"0"))),
    "util.intstr.IntOrString": _int_or_string,
    "runtime.RawExtension": _raw_json,
    "meta.v1.FieldsV1": _raw_json,
    "authorization.v1.ExtraValue": lambda parts: [_text(v) for n, v in parts.items() if n == 1],
    "authentication.v1.ExtraValue": lambda parts: [_text(v) for n, v in parts.items() if n == 1],
    "certificates.v1.ExtraValue": lambda parts: [_text(v) for n, v in parts.items() if n == 1],
}
KEPT = frozenset(["util.intstr.IntOrString"])
"""Types of which zero is a value."""
