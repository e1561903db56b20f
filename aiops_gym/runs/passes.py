"""How often an agent solves a problem in k tries: at least once (pass@k), and each time (pass^k)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import comb, fsum
from typing import NamedTuple

from aiops_gym.runs.intervals import compute_interval_around

DIGITS = 4


@dataclass(frozen=True, kw_only=True)
class Passes:
    """What k tries at a problem bring an agent, in one split, over everything or over one task.

    A problem weighs as much as it has episodes, so that both figures are the rate of success for one try.

    Attributes:
        by: `all` or `task`, of which `group` is the name, "" for all.
        k: tries, each with another seed.
        problems: with at least k finished episodes; no other counts.
        short: problems with fewer.
        fewest, most: seeds of the problems that count.
        pass_at, pass_at_low, pass_at_high: mean of the chance that at least one of k is solved, and its 95 % interval.
        pass_hat, pass_hat_low, pass_hat_high: likewise that all k are.
    """

    agent: str
    split: str
    by: str
    group: str
    k: int
    problems: int
    short: int
    fewest: int
    most: int
    pass_at: float
    pass_at_low: float
    pass_at_high: float
    pass_hat: float
    pass_hat_low: float
    pass_hat_high: float


class Tried(NamedTuple):
    """A problem, and how its finished episodes went, in the order of their seeds.

    Attributes:
        incident: what it is about; problems with the same one are alike.
        healthy: nothing is wrong, so that each seed is an incident of its own.
    """

    incident: Hashable
    healthy: bool
    seeds: tuple[int, ...]
    solved: tuple[bool, ...]


def pass_at(episodes: int, solved: int, k: int) -> float:
    """The chance that one of k episodes is solved, estimated without bias from more of them.

    Chen et al., Evaluating Large Language Models Trained on Code (2021), equation 1.

    >>> pass_at(3, 1, 1), pass_at(3, 1, 2), pass_at(3, 0, 3)
    (0.33333333333333337, 0.6666666666666667, 0.0)
    """
    return 1.0 - comb(episodes - solved, k) / comb(episodes, k)


def pass_hat(episodes: int, solved: int, k: int) -> float:
    """The chance that all of k episodes are solved, estimated likewise.

    Yao et al., tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains (2024), section 4.

    >>> pass_hat(3, 2, 1), pass_hat(3, 2, 2), pass_hat(3, 3, 3)
    (0.6666666666666666, 0.3333333333333333, 1.0)
    """
    return comb(solved, k) / comb(episodes, k)


def compute_passes(agent: str, split: str, by: str, group: str, tried: Sequence[Tried]) -> Iterator[Passes]:
    """The figures of a group for each k of `choose_tries`, as far as a problem has so many finished episodes."""
    for k in choose_tries(_seeds(tried)):
        found = [each for each in tried if len(each.solved) >= k]
        at, at_low, at_high = _figure(found, k, pass_at, any)
        hat, hat_low, hat_high = _figure(found, k, pass_hat, all)
        yield Passes(
            agent=agent,
            split=split,
            by=by,
            group=group,
            k=k,
            problems=len(found),
            short=len(tried) - len(found),
            fewest=min(len(each.solved) for each in found),
            most=max(len(each.solved) for each in found),
            pass_at=at,
            pass_at_low=at_low,
            pass_at_high=at_high,
            pass_hat=hat,
            pass_hat_low=hat_low,
            pass_hat_high=hat_high,
        )


def choose_tries(seeds: int) -> list[int]:
    """The numbers of tries that are reported: powers of two, and all seeds.

    >>> choose_tries(0), choose_tries(1), choose_tries(5), choose_tries(8)
    ([], [1], [1, 2, 4, 5], [1, 2, 4, 8])
    """
    return sorted({min(2**power, seeds) for power in range(seeds.bit_length() + 1)} - {0})


def _seeds(tried: Sequence[Tried]) -> int:
    """The most episodes of a problem; healthy ones, which have many seeds, say so only where there are no others."""
    others = [len(each.solved) for each in tried if not each.healthy]
    return max(others or [len(each.solved) for each in tried], default=0)


def _figure(
    tried: Sequence[Tried], k: int, estimate: Callable[[int, int, int], float], block: Callable[[Sequence[bool]], bool]
) -> tuple[float, float, float]:
    """Mean and interval. Where each seed is an incident of its own, what scatters is one k of seeds after the other."""
    means = [estimate(len(each.solved), sum(each.solved), k) for each in tried]
    weights = [len(each.solved) for each in tried]
    mean = fsum(weight * each for weight, each in zip(weights, means, strict=True)) / sum(weights)
    groups: dict[Hashable, list[float]] = defaultdict(list)
    for each, weight, value in zip(tried, weights, means, strict=True):
        if each.healthy or len(tried) == 1:
            for at in range(0, weight - k + 1, k):
                groups[each.incident, each.seeds[at]] += [float(block(each.solved[at : at + k]))] * k
        else:
            groups[each.incident] += [value] * weight
    low, high = compute_interval_around(mean, list(groups.values()))
    return round(mean, DIGITS), round(low, DIGITS), round(high, DIGITS)
