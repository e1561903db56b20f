"""How fast and how far a HorizontalPodAutoscaler may go: bounds, stabilisation, scaling policies.

Table `autoscalers`, by uid: `wishes` and `moves`, lists of [time (ms), replicas], bounded by the longest window.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from aiops_gym.sim.kernel.objects import Obj, get, uid_of
from aiops_gym.sim.kernel.times import HOUR, SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.autoscaling.conditions import Condition

STABLE_DOWN = 300
"""Seconds: `--horizontal-pod-autoscaler-downscale-stabilization`."""

DEFAULTS: Mapping[str, Any] = {
    "scaleUp": {
        "stabilizationWindowSeconds": 0,
        "selectPolicy": "Max",
        "policies": [
            {"type": "Percent", "value": 100, "periodSeconds": 15},
            {"type": "Pods", "value": 4, "periodSeconds": 15},
        ],
    },
    "scaleDown": {
        "stabilizationWindowSeconds": STABLE_DOWN,
        "selectPolicy": "Max",
        "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
    },
}
READY = Condition("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size")
STEADY = Condition(
    "AbleToScale",
    "True",
    "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent recommendation",
)
CALM = Condition(
    "AbleToScale",
    "True",
    "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
)
WITHIN = Condition("ScalingLimited", "False", "DesiredWithinRange", "the desired count is within the acceptable range")
FEW = Condition(
    "ScalingLimited", "True", "TooFewReplicas", "the desired replica count is less than the minimum replica count"
)
MANY = Condition(
    "ScalingLimited", "True", "TooManyReplicas", "the desired replica count is more than the maximum replica count"
)
FAST_UP = Condition(
    "ScalingLimited",
    "True",
    "ScaleUpLimit",
    "the desired replica count is increasing faster than the maximum scale rate",
)
FAST_DOWN = Condition(
    "ScalingLimited",
    "True",
    "ScaleDownLimit",
    "the desired replica count is decreasing faster than the maximum scale rate",
)


def bound_replicas(world: World, hpa: Obj, now: int, wanted: int) -> tuple[int, Condition, Condition]:
    """The replicas to ask for instead of `wanted`, whether that was able to scale, and what limited it."""
    steady, able = _stabilised(world, hpa, now, wanted)
    least, most = int(get(hpa, "spec", "minReplicas", default=1)), int(hpa["spec"]["maxReplicas"])
    if not get(hpa, "spec", "behavior"):
        fastest = max(2 * now, 4)
        if steady < least:
            return least, able, FEW
        if steady > min(most, fastest):
            return min(most, fastest), able, MANY if most <= fastest else FAST_UP
        return steady, able, WITHIN
    return (*_by_policies(world, hpa, now, steady, least, most, able),)


def note_move(world: World, hpa: Obj, before: int, after: int) -> None:
    """Remember a change of size, for policies."""
    _remember(world, hpa, "moves", after - before)


def _rules(hpa: Obj, direction: str) -> Mapping[str, Any]:
    return {**DEFAULTS[direction], **(get(hpa, "spec", "behavior", direction, default={}))}


def _remember(world: World, hpa: Obj, what: str, number: int) -> list[list[int]]:
    table, uid = world.table("autoscalers"), uid_of(hpa)
    before = table.get(uid, {})
    kept = [entry for entry in before.get(what, []) if entry[0] > world.now - HOUR]
    table[uid] = {**before, what: [*kept, [world.now, number]]}
    return kept


def _stabilised(world: World, hpa: Obj, now: int, wanted: int) -> tuple[int, Condition]:
    wishes = [*_remember(world, hpa, "wishes", wanted), [world.now, wanted]]
    windows = {d: int(_rules(hpa, d)["stabilizationWindowSeconds"]) for d in ("scaleUp", "scaleDown")}
    if not get(hpa, "spec", "behavior"):
        recent = max(n for time, n in wishes if time >= world.now - STABLE_DOWN * SECOND)
        return (recent, STEADY) if recent != wanted else (wanted, READY)
    lowest = min(n for time, n in wishes if time >= world.now - windows["scaleUp"] * SECOND)
    highest = max(n for time, n in wishes if time >= world.now - windows["scaleDown"] * SECOND)
    steady = lowest if now < lowest else min(now, highest)
    if steady == wanted:
        return steady, READY
    return steady, CALM if wanted > now else STEADY


def _by_policies(
    world: World, hpa: Obj, now: int, wanted: int, least: int, most: int, able: Condition
) -> tuple[int, Condition, Condition]:
    moves = world.table("autoscalers").get(uid_of(hpa), {}).get("moves", [])
    if wanted > now:
        limit = _limit(world, _rules(hpa, "scaleUp"), moves, now, 1)
        highest = min(most, max(limit, now))
        if wanted > highest:
            return highest, able, MANY if most <= limit else FAST_UP
    elif wanted < now:
        limit = _limit(world, _rules(hpa, "scaleDown"), moves, now, -1)
        lowest = max(least, min(limit, now))
        if wanted < lowest:
            return lowest, able, FEW if least >= limit else FAST_DOWN
    return min(max(wanted, least), most), able, WITHIN


def _limit(world: World, rules: Mapping[str, Any], moves: list[list[int]], now: int, sign: int) -> int:
    """How far the policies let the size go in one direction."""
    if rules["selectPolicy"] == "Disabled":
        return now
    limits = []
    for policy in rules["policies"]:
        since = world.now - int(policy["periodSeconds"]) * SECOND
        start = now - sum(n for time, n in moves if time >= since and n * sign > 0)
        value = int(policy["value"])
        if policy["type"] == "Pods":
            limits.append(start + sign * value)
        else:
            limits.append(ceil(start * (1 + value / 100)) if sign > 0 else int(start * (1 - value / 100)))
    widest = (rules["selectPolicy"] == "Max") == (sign > 0)
    return max(limits) if widest else min(limits)
