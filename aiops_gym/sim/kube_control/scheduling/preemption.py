"""Preemption: pods that make room for one of higher priority (`framework/preemption` of Kubernetes 1.32).

Table `nominated`: key of a pod -> [its uid, the node that was freed for it]; others of lower priority keep off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, assoc, get, key_of, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.pods import mark_disrupted
from aiops_gym.sim.kube_control.scheduling import filters

NEVER = "not eligible due to preemptionPolicy=Never."
WAITING = "not eligible due to a terminating pod on the nominated node."
USELESS = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"
WHY = "default-scheduler: preempting to accommodate a higher priority pod"
BUDGETS = "poddisruptionbudgets.policy"


class Plan(NamedTuple):
    """Who would have to leave a node, and how many of them a disruption budget protects."""

    node: str
    victims: list[Obj]
    violations: int


def attempt(world: World, pod: Obj, refused: Mapping[str, Sequence[str]]) -> tuple[str, dict[str, int]]:
    """Make room for a pod that fits nowhere.

    Returns:
        Why it may not even try ("" if it may), and the reasons of the nodes with their counts (empty on success).
    """
    if pod["spec"].get("preemptionPolicy") == "Never":
        return NEVER, {}
    if _leaving(world, pod):
        return WAITING, {}
    plans, reasons = [], dict[str, int]()
    for name, why in refused.items():
        plan, texts = _plan(world, pod, name, why)
        if plan is not None:
            plans.append(plan)
        for text in texts:
            reasons[text] = reasons.get(text, 0) + 1
    if not plans:
        return "", reasons
    _carry_out(world, pod, min(plans, key=_cost))
    return "", {}


def _leaving(world: World, pod: Obj) -> bool:
    """Whether somebody of lower priority is already on the way out of the node that was freed for the pod."""
    node = get(pod, "status", "nominatedNodeName", default="")
    there = world.store.on_node(node) if node else []
    return any(pods_of.is_terminating(one) and filters.priority(one) < filters.priority(pod) for one in there)


def _plan(world: World, pod: Obj, name: str, why: Sequence[str]) -> tuple[Plan | None, list[str]]:
    node = world.store.get("nodes", "", name)
    if node is None or not all(filters.preemption_helps(reason) for reason in why):
        return None, [USELESS]
    there = [one for one in world.store.on_node(name) if not pods_of.is_terminal(one)]
    lower = [one for one in there if filters.priority(one) < filters.priority(pod)]
    if not lower:
        return None, [NO_VICTIMS]
    kept = [one for one in there if one not in lower]
    still = filters.find_refusals(world, pod, node, kept)
    if still:
        return None, still
    protected = [one for one in lower if _protected(world, one)]
    rest = [one for one in lower if one not in protected]
    victims: list[Obj] = []
    for group in (protected, rest):  # spare as many as possible, first those that a budget protects
        for one in sorted(
            group, key=lambda one: (-filters.priority(one), get(one, "status", "startTime", default="~"))
        ):
            if filters.find_refusals(world, pod, node, [*kept, one]):
                victims.append(one)
            else:
                kept.append(one)
    return Plan(name, victims, sum(1 for one in victims if one in protected)), []


def _protected(world: World, pod: Obj) -> bool:
    for budget in world.store.all(BUDGETS, namespace_of(pod)):
        spent = get(budget, "status", "disruptionsAllowed", default=0) <= 0
        if spent and matches(get(budget, "spec", "selector"), labels_of(pod)):
            return True
    return False


def _cost(plan: Plan) -> tuple[int, int, int, int, str]:
    priorities = [filters.priority(one) for one in plan.victims]
    return plan.violations, max(priorities, default=-(2**31)), sum(priorities), len(priorities), plan.node


def _carry_out(world: World, pod: Obj, plan: Plan) -> None:
    for victim in plan.victims:
        if not pods_of.is_terminating(victim):
            text = f"Preempted by pod {uid_of(pod)} on node {plan.node}"
            events.record_series(world, victim, "Normal", "Preempted", text, "Preempting")
            mark_disrupted(world, victim, "PreemptionByScheduler", WHY)
            kube_api.delete(world, "pods", namespace_of(victim), name_of(victim))
    world.table("nominated")[key_of(pod)] = [uid_of(pod), plan.node]
    present = world.store.by_key("pods", key_of(pod))
    if present is not None:
        world.store.put("pods", assoc(present, ("status", "nominatedNodeName"), plan.node))


def clear_nomination(world: World, key: str) -> None:
    """A pod has its node, or is gone: nothing is kept free for it any more."""
    world.table("nominated").pop(key, None)
