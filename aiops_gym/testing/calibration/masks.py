"""Names, ids, addresses and times that differ from run to run, replaced by the part that they play."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from aiops_gym.types import Json

LETTERS = "[bcdfghjklmnpqrstvwxz2456789]"
UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
SOURCE_PORT = re.compile(r"(<ip>):\d{5}(?=->)")
TOOK = re.compile(r" in (?:\d+h)?(?:\d+m)?[\d.]+m?s \([\d.hms]+ including waiting\)\. Image size: \d+ bytes\.")
AMOUNT = re.compile(r"(available:|was using|Threshold quantity:) [0-9.]+[KMGT]i?\b")
WORD = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
HEAD = re.compile(r'Head "https://[^"]*": dial tcp: lookup \S+ on')
OPENED = re.compile(r"can't open '([^']*)'")
"""Small tools of different makers word a missing file differently."""

EXEC = re.compile(r'(?<=failed to start exec ")[0-9a-f]{64}')
VOLUME = re.compile(r"\bkube-api-access-\w{5}\b")
GENERATED = (
    ("ReplicaSet", re.compile(rf"-(?P<set>{LETTERS}{{4,10}})$")),
    ("Pod", re.compile(rf"-(?P<set>{LETTERS}{{4,10}})-{LETTERS}{{5}}$")),
    ("Job", re.compile(r"-(?P<time>\d{8})$")),
    ("Pod", re.compile(rf"-(?P<time>\d{{8}})-{LETTERS}{{5}}$")),
    ("Pod", re.compile(rf"-(?P<index>\d+)-{LETTERS}{{5}}$")),
    ("Pod", re.compile(rf"-{LETTERS}{{5}}$")),
)


def bodies(manifest: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """All objects that a manifest creates, at once or later, those of lists one by one."""
    later = [a.get("objects") or [a.get("object") or a.get("manifest")] for a in manifest.get("actions") or ()]
    for body in [*(manifest.get("objects") or ()), *(one for some in later for one in some)]:
        if isinstance(body, Mapping):
            yield from [item for item in body.get("items") or [body] if isinstance(item, Mapping)]


class Parts:
    """The parts that the named objects of one run play: `web#1` is the first ReplicaSet of `web`, `web#1*` its pods.

    Args:
        manifest: whose objects have names that are the same in each run.
        namespace: in which it ran.
        names: (`Kind/name`) of all objects seen, in the order in which they were first seen.
    """

    def __init__(self, manifest: Mapping[str, Json], namespace: str, names: Iterable[str]) -> None:
        objects = [(str(o.get("kind")), o.get("metadata") or {}) for o in bodies(manifest)]
        self._known = {f"{kind}/{meta['name']}" for kind, meta in objects if "name" in meta}
        given = {str(meta["name"]) for _, meta in objects if "name" in meta}
        given |= {str(meta["generateName"]).removesuffix("-") for _, meta in objects if "generateName" in meta}
        self._owners = sorted(given, key=len, reverse=True)
        self._numbers: dict[str, list[str]] = {}
        self._parts: dict[str, str] = {}
        self._masked: dict[str, str] = {}
        for name in names:
            self.of(name)
        namespace_ = rf"(?<![\w.-]){re.escape(namespace)}(?![\w.-])"
        self._namespace = re.compile(f"{namespace_}|(?<=_){re.escape(namespace)}(?=\\()")

    def of(self, reference: str) -> str:
        """The part of an object, `Kind/name`: its name, or what it is to its owner."""
        kind, _, name = reference.partition("/")
        if name not in self._parts or reference in self._known:
            self._parts[name] = name if reference in self._known else self._generated(kind, name)
        return f"{kind}/{self._parts[name]}"

    def _generated(self, kind: str, name: str) -> str:
        for owner in self._owners:
            if not name.startswith(f"{owner}-"):
                continue
            for wanted, pattern in GENERATED:
                if kind == wanted and (match := pattern.fullmatch(name, len(owner))):
                    fields = match.groupdict()
                    group = fields.get("set") or fields.get("time")
                    number = f"#{self._number(owner, group)}" if group else ""
                    index = f"-{fields['index']}" if fields.get("index") else ""
                    return f"{owner}{index}{number}{'*' if kind == 'Pod' else ''}"
        return UID.sub("<uid>", name)

    def _number(self, owner: str, group: str) -> int:
        groups = self._numbers.setdefault(owner, [])
        if group not in groups:
            groups.append(group)
        return groups.index(group) + 1

    def mask(self, text: str) -> str:
        """A message without what differs from run to run."""
        if text not in self._masked:
            self._masked[text] = self._mask(text)
        return self._masked[text]

    def _named(self, match: re.Match[str]) -> str:
        """The part of what a word names, also of a pod that was never there."""
        name = match[0]
        if name in self._parts:
            return self._parts[name]
        pod = self._generated("Pod", name)
        return pod if pod != name else self._generated("ReplicaSet", name)

    def _mask(self, text: str) -> str:
        text = WORD.sub(self._named, text)
        text = self._namespace.sub("<ns>", VOLUME.sub("kube-api-access-*", UID.sub("<uid>", EXEC.sub("<id>", text))))
        text = SOURCE_PORT.sub(r"\1:<port>", ADDRESS.sub("<ip>", text))
        text = AMOUNT.sub(r"\1 <n>", TOOK.sub(" in <time>", text))
        return OPENED.sub(r"\1", HEAD.sub("<request>", text.replace("docker.io/library/", ""))).rstrip()

    def deep(self, value: Json) -> Json:
        """The same for every text in a value."""
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, list | tuple):
            return [self.deep(v) for v in value]
        if isinstance(value, Mapping):
            return {k: self.deep(v) for k, v in value.items()}
        return value
