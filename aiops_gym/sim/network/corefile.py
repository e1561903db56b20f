"""The name server's settings: the Corefile of CoreDNS 1.11, as far as it decides what stands under a name.

Read are server blocks by their zones, and in them `rewrite`, `template`, `hosts`, `kubernetes` and `forward`, in the
order in which CoreDNS asks its plugins, whatever the order in the file. Other plugins answer nothing by themselves;
what a template answers is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aiops_gym.types import Json

TABLE = "nameserver"
"""Of the state: row `rules` holds what is in force where that is not plain service discovery; see `read`."""

ZONE = "cluster.local"
KNOWN = frozenset(
    re.findall(
        r"\w+",
        """
        acl any autopath bind bufsize cache cancel chaos debug dns64 dnssec erratic errors etcd file forward grpc header
        health hosts import kubernetes loadbalance local log loop metadata minimal multisocket nsid pprof prometheus
        ready reload rewrite root secondary sign template timeouts tls trace transfer tsig whoami auto
        """,
    )
)

Rules = Sequence[Mapping[str, Any]]
"""Server blocks: `zones`, `rewrite` (kind, from, to), `deny` (regular expressions), `hosts`, `kubernetes` (zones)."""


class CorefileError(ValueError):
    """A text that CoreDNS would refuse."""


class Found(NamedTuple):
    """What the settings make of a name: the name to look up, an address that they give, or neither."""

    name: str = ""
    ip: str = ""


def read(text: str) -> Rules:
    """The server blocks of a Corefile; none where all of it is plain service discovery. Raises CorefileError."""
    blocks = [_read_block(words, body) for words, body in _split(_tokens(text))]
    if not blocks:
        raise CorefileError("Corefile:1 - Error during parsing: no server blocks")
    blocks = [each for each in blocks if any(zone == "." or _lies_in(zone, ZONE) for zone in each["zones"])]
    plain = len(blocks) == 1 and not any(blocks[0][key] for key in ("rewrite", "deny", "hosts"))
    return [] if plain and ZONE in blocks[0]["kubernetes"] and "." in blocks[0]["zones"] else blocks


def find(rules: Rules, name: str) -> Found:
    """What the block with the longest zone says of a full name."""
    zones = [(zone, block) for block in rules for zone in block["zones"] if _lies_in(name, zone)]
    if not zones:
        return Found()
    block = max(zones, key=lambda each: len(each[0].strip(".")))[1]
    for kind, old, new in block["rewrite"]:
        if (other := _rewrite(kind, old, new, name)) is not None:
            name = other
            break
    if any(re.search(pattern, f"{name}.") for pattern in block["deny"]):
        return Found()
    if name in block["hosts"]:
        return Found(ip=block["hosts"][name])
    return Found(name) if any(_lies_in(name, zone) for zone in block["kubernetes"]) else Found()


def list_targets(rules: Rules) -> list[str]:
    """Names and addresses to which the settings lead others."""
    return [
        target for block in rules for target in (*(new for _, _, new in block["rewrite"]), *block["hosts"].values())
    ]


def _rewrite(kind: str, old: str, new: str, name: str) -> str | None:
    if kind == "exact":
        return new if name == old else None
    if kind == "suffix":
        return f"{name.removesuffix(old)}{new}" if name.endswith(old) else None
    if kind == "prefix":
        return f"{new}{name.removeprefix(old)}" if name.startswith(old) else None
    if kind == "substring":
        return name.replace(old, new) if old in name else None
    found = re.fullmatch(old, name) or re.fullmatch(old, f"{name}.")
    return found.expand(re.sub(r"\{(\d+)\}", r"\\\1", new)).rstrip(".") if found else None


def _lies_in(name: str, zone: str) -> bool:
    zone = zone.strip(".")
    return not zone or name == zone or name.endswith(f".{zone}")


Line = list[str]


def _tokens(text: str) -> Iterator[Line]:
    """The words of each line; a brace stands alone in its own line."""
    for row in text.splitlines():
        words = [w.strip('"') for w in re.findall(r'"[^"]*"|[^\s#]+', row.partition("#")[0])]
        if words == ["}"]:
            yield words
        elif words and words[-1] == "{":
            yield from ([words[:-1], ["{"]] if len(words) > 1 else [["{"]])
        elif words:
            yield words


def _split(lines: Iterator[Line]) -> Iterator[tuple[Line, list[tuple[Line, list[Line]]]]]:
    """Server blocks: their zones, and in them each directive with the lines of its own block."""
    depth, zones, body = 0, Line(), list[tuple[Line, list[Line]]]()
    for words in lines:
        if words == ["{"]:
            depth += 1
        elif words == ["}"]:
            depth -= 1
            if depth == 0:
                yield zones, body
                zones, body = Line(), []
        elif depth == 0:
            zones = words
        elif depth == 1:
            body.append((words, []))
        else:
            body[-1][1].append(words)
    if depth:
        raise CorefileError("Corefile - Error during parsing: Unexpected EOF: unclosed '{'")


def _read_block(zones: Line, body: list[tuple[Line, list[Line]]]) -> dict[str, Any]:
    found: dict[str, Any] = {"zones": [re.sub(r":\d+$", "", zone.removeprefix("dns://")).lower() for zone in zones]}
    found |= {"rewrite": [], "deny": [], "hosts": {}, "kubernetes": []}
    for words, inner in body:
        if words[0] not in KNOWN:
            raise CorefileError(f"Corefile - Error during parsing: Unknown directive '{words[0]}'")
        if words[0] == "kubernetes":
            found["kubernetes"] += words[1:] or found["zones"]
        elif words[0] == "rewrite":
            found["rewrite"] += [rule] if (rule := _read_rewrite(words[1:] or (inner[0] if inner else []))) else []
        elif words[0] == "template":
            found["deny"] += _read_template(words[1:], inner, found["zones"])
        elif words[0] == "hosts":
            found["hosts"] |= _read_hosts([words[1:], *inner])
    return found


def _read_rewrite(words: Line) -> list[Json]:
    """(kind, from, to) of a rule about names: `rewrite [continue|stop] name [exact|...] FROM TO`."""
    words = words[1:] if words[:1] in (["continue"], ["stop"]) else words
    if words[:1] != ["name"]:
        return []
    kinds = ("exact", "suffix", "prefix", "substring", "regex")
    kind, rest = (words[1], words[2:]) if words[1:2] and words[1] in kinds else ("exact", words[1:])
    if len(rest) < 2:
        raise CorefileError("Corefile - Error during parsing: few arguments for a name rule in rewrite")
    return [kind, *(word if kind == "regex" else word.rstrip(".").lower() for word in rest[:2])]


def _read_template(words: Line, inner: list[Line], zones: Line) -> list[str]:
    """Regular expressions of names for which a template has no answer, whatever code it gives."""
    if any(line[0] == "answer" for line in inner):
        return []
    told = [pattern for line in inner if line[0] == "match" for pattern in line[1:]]
    asked = words[2:] or zones
    return told or [rf"(^|\.){re.escape(zone.strip('.').lower())}\.$" if zone.strip(".") else "" for zone in asked]


def _read_hosts(lines: list[Line]) -> dict[str, str]:
    named = [line for line in lines if len(line) > 1 and re.fullmatch(r"[\d.]+", line[0])]
    return {host.rstrip(".").lower(): line[0] for line in named for host in line[1:]}
