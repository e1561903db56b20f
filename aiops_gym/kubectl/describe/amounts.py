"""What pods ask for, added up in the notation in which it was written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from aiops_gym import caches
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.objects import Obj

_AMOUNTS = caches.slot(f"{__name__}.amounts", "adding up requests and limits of a pod")


class Amount(NamedTuple):
    """A quantity that remembers its notation.

    >>> str(Amount.of("64Mi").plus(Amount.of("1Gi"))), str(Amount.of("0").plus(Amount.of("250m")))
    ('1088Mi', '250m')
    """

    number: Decimal
    suffix: str

    @classmethod
    def of(cls, text: str) -> Amount:
        """The amount that a text means."""
        return _read(str(text))

    def plus(self, other: Amount) -> Amount:
        """The sum, in the notation of the first that is not zero."""
        return Amount(self.number + other.number, self.suffix if self.number else other.suffix)

    def __str__(self) -> str:
        return quantity.write(self.number, self.suffix)


ZERO = Amount(Decimal(0), "")
Amounts = dict[str, Amount]


@caches.function(2048, "parsing a quantity that `describe` shows")
def _read(text: str) -> Amount:
    digits = text.lstrip("+-").lstrip("0123456789.")
    return Amount(quantity.parse(text), digits)


@caches.function(4096, "writing an amount with its share")
def format_ratio(part: Amount | None, whole: Amount) -> str:
    """An amount and its share of the whole, in per cent cut to an integer.

    >>> format_ratio(Amount.of("20m"), Amount.of("2")), format_ratio(None, Amount.of("2"))
    ('20m (1%)', '0 (0%)')
    """
    amount = ZERO if part is None else part
    share = int(float(amount.number) / float(whole.number) * 100) if whole.number else 0
    return f"{amount} ({share}%)"


def sum_pod_amounts(pod: Object) -> tuple[Amounts, Amounts]:
    """Requests and limits of a pod: its containers together, or a bigger init container; kept with the pod."""
    if isinstance(pod, Obj) and _AMOUNTS in pod.memo:
        kept: tuple[Amounts, Amounts] = pod.memo[_AMOUNTS]
        return kept
    spec = pod.get("spec") or {}
    found = (_total(spec, "requests"), _total(spec, "limits"))
    if isinstance(pod, Obj):
        pod.memo[_AMOUNTS] = found
    return found


def _total(spec: Object, field: str) -> Amounts:
    total = _sum((c.get("resources") or {}).get(field) or {} for c in spec.get("containers") or ())
    sidecars: Amounts = {}
    for container in spec.get("initContainers") or ():
        own = _sum([(container.get("resources") or {}).get(field) or {}])
        if container.get("restartPolicy") == "Always":
            total, sidecars = add(total, own), add(sidecars, own)
            peak = sidecars
        else:
            peak = add(own, sidecars)
        for name, amount in peak.items():
            if amount.number > total.get(name, ZERO).number:
                total[name] = amount
    overhead = _sum([spec.get("overhead") or {}])
    return add(total, overhead) if overhead else total


def _sum(parts: Iterable[Mapping[str, str]]) -> Amounts:
    total: Amounts = {}
    for part in parts:
        total = add(total, {name: Amount.of(text) for name, text in part.items()})
    return total


def collect(total: Amounts, part: Amounts) -> None:
    """Add a part to a total, in place."""
    for name, amount in part.items():
        before = total.get(name)
        total[name] = amount if before is None else before.plus(amount)


def add(left: Amounts, right: Amounts) -> Amounts:
    """Two sets of amounts, added name by name."""
    return {name: left.get(name, ZERO).plus(right.get(name, ZERO)) for name in {**left, **right}}
