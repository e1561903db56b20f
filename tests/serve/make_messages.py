"""Writes `aiops_gym/serve/messages.json`: how the API's messages look in protobuf.

    python make_messages.py <a kubectl binary, 1.32>  > messages.json

A Go program carries the descriptors of its protobuf messages, gzipped; kubectl has those of the whole API. A field is
one string: its name in JSON ("-" where its message's fields stand directly in the outer object) and its type (`str`,
`bool`, `int`, `num`, `bytes`, a message's name, `[T]`, `{T}`), keyed by its number.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from aiops_gym.sim.kube_api.resources import RESOURCES

MAGIC = b"\x1f\x8b\x08\x00"
EXTRA = ("autoscaling/v1/HorizontalPodAutoscaler", "autoscaling/v1/Scale", "policy/v1/Eviction",
         "authentication.k8s.io/v1/TokenRequest", "v1/DeleteOptions")  # fmt: skip
PLAIN = {1: "num", 2: "num", 3: "int", 4: "int", 5: "int", 8: "bool", 9: "str", 12: "bytes", 13: "int"}
META = "k8s.io.apimachinery.pkg.apis.meta.v1."
INLINE = {
    "volumeSource", "handler", "probeHandler", "localObjectReference", "ephemeralContainerCommon",
    "persistentVolumeSource", "ingressRuleValue", "ruleWithOperations", "rule",
}  # fmt: skip
RENAMED = {"Webhooks": "webhooks", "Expression": "expression", "Name": "name", "uID": "uid", "aPIGroup": "apiGroup"}


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at


def parts(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, value
        else:
            size, at = varint(data, at)
            yield key >> 3, data[at : at + size]
            at += size


def descriptors(binary: bytes) -> Iterator[bytes]:
    at = binary.find(MAGIC)
    while at >= 0:
        stream = zlib.decompressobj(31)
        try:
            raw = stream.decompress(binary[at : at + 2_000_000])
            if stream.eof and raw[2:9] == b"k8s.io/":
                yield raw
        except zlib.error:
            pass
        at = binary.find(MAGIC, at + 4)


def one(data: bytes, number: int, default: bytes | int = b"") -> bytes | int:
    return next((value for n, value in parts(data) if n == number), default)


def messages(file: bytes) -> Iterator[tuple[str, dict[int, str]]]:
    package = one(file, 2).decode()
    for number, body in parts(file):
        if number == 4:
            yield f"{package}.{one(body, 1).decode()}", dict(fields(body))


def fields(body: bytes) -> Iterator[tuple[int, str]]:
    entries = {one(v, 1).decode(): v for n, v in parts(body) if n == 3}
    for number, field in parts(body):
        if number != 2:
            continue
        name, kind, repeated = one(field, 1).decode(), kind_of(field), one(field, 4) == 3
        entry = entries.get(kind.rpartition(".")[2])
        if entry is not None:
            value = next(v for n, v in parts(entry) if n == 2 and one(v, 3) == 2)
            kind = "{" + kind_of(value) + "}"
        elif repeated:
            kind = f"[{kind}]"
        yield one(field, 3), f"{'-' if name in INLINE else RENAMED.get(name, name)} {kind}"


def kind_of(field: bytes) -> str:
    kind = one(field, 5)
    return one(field, 6).decode().lstrip(".") if kind == 11 else PLAIN[kind]


def main(path: str) -> None:
    known = {name: found for file in descriptors(Path(path).read_bytes()) for name, found in messages(file)}
    kinds = {}
    for kind in sorted({f"{r.api_version}/{r.kind}" for r in RESOURCES.values()} | set(EXTRA)):
        version, _, name = kind.rpartition("/")
        group, _, number = version.rpartition("/")
        full = f"k8s.io.api.{group.partition('.')[0] or 'core'}.{number}.{name}"
        full = META + name if name == "DeleteOptions" else full
        if full in known:
            kinds[kind] = full
    seen: dict[str, None] = {}
    for name in kinds.values():
        visit(known, name, seen)
    lines = [f"{json.dumps(short(n))}: {json.dumps(shortened(known[n]))}" for n in sorted(seen)]
    print('{"kinds": ' + json.dumps({k: short(v) for k, v in kinds.items()}) + ',\n"messages": {')
    print(",\n".join(lines) + "\n}}")


def visit(known: dict[str, dict[int, str]], name: str, seen: dict[str, None]) -> None:
    if name in seen:
        return
    seen[name] = None
    for text in known[name].values():
        if (inner := text.split(" ")[1].strip("[]{}")) in known:
            visit(known, inner, seen)


def short(name: str) -> str:
    return name.replace("k8s.io.apimachinery.pkg.", "").replace("k8s.io.api.", "").replace("apis.meta.", "meta.")


def shortened(found: dict[int, str]) -> dict[str, str]:
    return {str(number): short(text) for number, text in sorted(found.items())}


if __name__ == "__main__":
    main(sys.argv[1])
