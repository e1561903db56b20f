"""A folder that grows: what another command asks for is added to its plan, or refused with the reason."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields, replace

from aiops_gym.errors import AiopsGymError
from aiops_gym.runs.arguments import Arguments
from aiops_gym.runs.plan import Entry, Plan

GROW = frozenset({"agents", "tasks", "splits", "tier", "seeds", "sample", "app", "problems", "agent_options", "judge"})
"""Arguments that may differ from command to command. All episodes of a folder share the others, such as `env_kwargs`
and the version: its tables would else average over different problems."""

LISTED = frozenset({"agents", "seeds", "problems", "agent_options", "judge"})
"""Those of which a command may have more and hold another one."""


def grow_plan(plan: Plan, more: Plan) -> Plan:
    """A plan that has what another one asks for, too: agents, seeds, problems, samples, splits.

    No episode changes: each keeps its seed and its name, so that what is played is not played again.

    Args:
        plan: that is there.
        more: of one command.

    Raises:
        AiopsGymError: with what stands against it, in one line.
    """
    more = Plan.from_json(more.to_json())  # lists where a caller had tuples, as in the plan that was read
    (asked,) = more.asked
    reasons = list(_settings(plan, more)) or list(_catalogue(plan, more))
    if reasons:
        raise AiopsGymError("; ".join(reasons))
    known = any(_holds(each, asked) for each in plan.asked)
    kept = plan.asked if known else (*(each for each in plan.asked if not _holds(asked, each)), asked)
    entries = tuple(dict.fromkeys([*plan.entries, *more.entries]))
    judged = asked.judge or _judge(plan)
    asked_now = tuple(replace(each, judge=judged) for each in kept)
    return Plan(asked=asked_now, options={**plan.options, **more.options}, entries=entries)


def _settings(plan: Plan, more: Plan) -> Iterator[str]:
    """What all episodes of a folder, or all of an agent, must have in common. A judge may come later."""
    (asked,), first = more.asked, plan.asked[0]
    pairs = [(name, getattr(first, name), getattr(asked, name)) for name in list_names_but(GROW)]
    pairs.append(("judge", _judge(plan) or asked.judge, asked.judge))
    pairs += [(f"options of {agent}", plan.options[agent], more.options[agent]) for agent in _common(plan, more)]
    for name, before, now in pairs:
        if before != now:
            yield f"{name}: {before!r} before, {now!r} now"


def _common(plan: Plan, more: Plan) -> list[str]:
    return [agent for agent in more.options if agent in plan.options]


def _catalogue(plan: Plan, more: Plan) -> Iterator[str]:
    """Whether the same command means other episodes than it did: its problems are no longer the same."""
    (asked,) = more.asked
    before, now = frozenset(plan.entries), frozenset(more.entries)
    gone = before - now if all(_holds(asked, each) for each in plan.asked) else frozenset()
    new = now - before if any(_holds(each, asked) for each in plan.asked) else _renamed(before, now)
    if gone or new:
        some = ", ".join(sorted({entry.name for entry in gone | new})[:3])
        yield f"the catalogue: {len(gone)} episodes fewer, {len(new)} more or others; {some}"


def _renamed(before: frozenset[Entry], now: frozenset[Entry]) -> frozenset[Entry]:
    """Episodes of which something else is said now, such as another fault."""
    known = {(entry.name, entry.split) for entry in before}
    return frozenset(entry for entry in now - before if (entry.name, entry.split) in known)


def _holds(one: Arguments, other: Arguments) -> bool:
    """Whether all that one command asks for is asked for by another one as well: more agents, seeds or ids at most."""
    alike = all(getattr(one, name) == getattr(other, name) for name in list_names_but(LISTED))
    named = bool(one.problems) == bool(other.problems) and set(one.problems) >= set(other.problems)
    return alike and named and one.seeds >= other.seeds and set(one.agents) >= set(other.agents)


def list_names_but(left_out: Collection[str]) -> list[str]:
    """Arguments of an evaluation, sorted, without some."""
    return sorted(each.name for each in fields(Arguments) if each.name not in left_out)


def _judge(plan: Plan) -> str:
    return next((each.judge for each in plan.asked if each.judge), "")
