"""Values that a person, a script or an adversary may write into a field: right ones, odd ones, and wrong ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import walk
from aiops_gym.sim.kube_api.schema import Field, fields

Json = Any
T = TypeVar("T")

DEEPEST = 4
"""Levels of objects that are made up inside one value."""

WORDS = (
    *(
        "",
        "x",
        "0",
        "-1",
        "1.5",
        "null",
        "true",
        "10%",
        "a/b",
        "a:b",
        "*",
        "  ",
        "é☃",
        "Ünïcode-\u202e",
        "a\nb",
        "'",
        "{",
        "%s",
    ),
    *("Running", "Failed", "Succeeded", "True", "False", "Unknown", "Never", "Always", "TCP", "UDP", "SCTP", "None"),
    *("10.0.0.1", "::1", "999.1.1.1", "10.0.0.0/8", "9" * 40, "x" * 300, "default", "http", "cpu", "memory"),
)
NUMBERS = (0, 1, -1, 2, 3, 7, 80, 100, 101, 3600, 65535, 65536, 10**6, 2**31 - 1, -(2**31))
LARGE = (2**53 + 1, 2**63 - 1, -(2**63))
TIMES = (
    *("1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00"),
    *("2026-03-02T09:00:00+05:30", "2026-03-02T09:00:00.123456789Z", "2026-12-31T23:59:59Z", "2026-03-02T09:10:00Z"),
    "2023-02-30T00:00:00Z",
)
QUANTITIES = (
    *(
        "0",
        "1",
        "-1",
        "100m",
        "1u",
        "1n",
        "64Mi",
        "1Gi",
        "1E",
        "8Ei",
        "1e30",
        "9" * 30,
        "0.1",
        "1k",
        "-5Gi",
        "1e-9",
        "+1",
    ),
    *(1, 0, -3, 2.5, 1e20),
)
SHARES = (0, 1, -1, 3, 80, 65536, 2**31 - 1, "0%", "50%", "100%", "101%", "-5%", "http", "", "80", "1000000%")
BASE64 = ("", "AA==", "aGVsbG8=", "////")
KEYS = ("", "a", "app", "io.kompose.service", "a/b", "example.com/x", "x" * 80, "kubernetes.io/hostname", "é")
SCHEDULES = (
    "* * * * *",
    "*/5 * * * *",
    "0 0 30 2 *",
    "@every 1s",
    "@yearly",
    "0 0 29 2 1",
    "@every 1h1m",
    "59 23 31 12 *",
)
SPECIAL = {
    "schedule": SCHEDULES,
    "timeZone": ("Etc/UTC", "Asia/Kolkata", "America/New_York", "nowhere", "../etc/passwd"),
}
"""Fields with a language of their own."""

ANNOTATIONS = (
    "deployment.kubernetes.io/revision",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deployment.kubernetes.io/revision-history",
    "deprecated.daemonset.template.generation",
    "kubectl.kubernetes.io/restartedAt",
    "kubectl.kubernetes.io/last-applied-configuration",
    "kubectl.kubernetes.io/default-container",
    "kubernetes.io/change-cause",
    "kubernetes.io/config.mirror",
    "controller.kubernetes.io/pod-deletion-cost",
    "control-plane.alpha.kubernetes.io/leader",
    "cronjob.kubernetes.io/instantiate",
    "batch.kubernetes.io/cronjob-scheduled-timestamp",
    "batch.kubernetes.io/job-completion-index",
    "batch.kubernetes.io/job-index-failure-count",
    "endpoints.kubernetes.io/last-change-trigger-time",
    "endpoints.kubernetes.io/over-capacity",
    "node.alpha.kubernetes.io/ttl",
    "volumes.kubernetes.io/controller-managed-attach-detach",
    "volume.kubernetes.io/selected-node",
    "volume.kubernetes.io/storage-provisioner",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "pv.kubernetes.io/provisioned-by",
    "storageclass.kubernetes.io/is-default-class",
    "service.kubernetes.io/topology-mode",
    "autoscaling.alpha.kubernetes.io/conditions",
)
NOTES = (
    "",
    "0",
    "1",
    "-1",
    "2",
    "99999999999999999999",
    "9" * 5000,
    "²",
    "x",
    "true",
    "[]",
    "{}",
    "null",
    "1,2,3",
    TIMES[0],
    "1e3",
)
"""What stands in annotations: they are text, whoever reads a number out of one."""

WRONG = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    1e300,
    2**63,
    2**70,
    "",
    "x",
    [],
    {},
    [[]],
    {"": {}},
    [None],
    {"a": None},
    [{"a": [{}]}],
)


class Dice:
    """Draws that depend on a seed and on how many were made before."""

    def __init__(self, seed: int, purpose: str = "fuzz") -> None:
        self.seed, self.purpose, self.counter = seed, purpose, 0

    def below(self, n: int) -> int:
        """An integer in [0, n)."""
        self.counter += 1
        return draws.pick(n, self.seed, self.purpose, "", self.counter)

    def odds(self, share: float) -> bool:
        """Whether something happens that does so with this probability."""
        self.counter += 1
        return draws.draw(self.seed, self.purpose, "", self.counter) < share

    def of(self, several: Sequence[T]) -> T:
        """One of several."""
        return several[self.below(len(several))]


class Values:
    """Draws values for fields, among them those that the same field has elsewhere in the cluster.

    Args:
        dice: what decides.
        objects: those of the cluster, for plausible values.
    """

    def __init__(self, dice: Dice, objects: Sequence[Mapping[str, Any]]) -> None:
        self.dice = dice
        self.seen: dict[str, dict[Json, None]] = {}
        for obj in objects:
            for path, value in walk(obj):
                name = next((step for step in reversed(path) if isinstance(step, str)), "")
                self.seen.setdefault(name, {})[value] = None

    def of(self, name: str, declared: Field, depth: int = 0) -> Json:
        """A value for a field of this name and type: mostly one that a decoder takes."""
        dice = self.dice
        if dice.odds(0.06):
            return dice.of(WRONG)
        if declared.shape == "list":
            size = dice.of((0, 1, 1, 1, 2, 3))
            return [self.one(name, declared, depth) for _ in range(size)]
        if declared.shape == "map":
            return self._map(name, declared, depth)
        return self.one(name, declared, depth)

    def _map(self, name: str, declared: Field, depth: int) -> dict[str, Json]:
        found = {}
        for _ in range(self.dice.of((0, 1, 1, 2))):
            if name == "annotations":
                found[self.dice.of(ANNOTATIONS)] = self.dice.of(NOTES)
            else:
                seen = [key for key in self.seen if key not in ("", "name")]
                key = self.dice.of(seen if seen and self.dice.odds(0.3) else KEYS)
                found[key] = self.one(name, declared, depth)
        return found

    def one(self, name: str, declared: Field, depth: int) -> Json:
        """One value of a field's type."""
        dice, kind = self.dice, declared.type
        if fields(kind):
            return self.object(kind, depth + 1)
        seen = self.seen.get(name)
        if seen and dice.odds(0.5):
            return dice.of([*seen])
        if kind == "str":
            return dice.of(SPECIAL.get(name, WORDS))
        if kind == "any":
            return dice.of(WRONG)
        plain: dict[str, Sequence[Json]] = {
            "bool": (True, False),
            "int32": NUMBERS,
            "int64": NUMBERS + LARGE,
            "num": (0, 1, -1.5, 1e300),
            "time": TIMES,
            "quantity": QUANTITIES,
            "intstr": SHARES,
            "bytes": BASE64,
        }
        return dice.of(plain.get(kind, WRONG))

    def object(self, kind: str, depth: int) -> Json:
        """An object of a type: a few of its fields, or most of them."""
        known = fields(kind)
        if depth > DEEPEST or not known:
            return {}
        share = self.dice.of((0.1, 0.4, 0.8))
        return {
            name: self.of(name, declared, depth)
            for name, declared in known.items()
            if name != "managedFields"
            and ((declared.required and self.dice.odds(0.7)) or self.dice.odds(share / depth))
        }
