"""Good repairs in the spellings of many people: each is right, and each must be accepted."""

from __future__ import annotations

from aiops_gym.backends import Simulated
from aiops_gym.testing.adversary.recipe import Recipe, check_names
from aiops_gym.testing.adversary.repairs import (
    besides,
    dependencies,
    flags,
    goals,
    guards,
    placement,
    programs,
    routes,
    servers,
    spellings,
    stores,
    topics,
)

FAMILIES: tuple[Recipe, ...] = (
    *placement.RECIPES,
    *programs.RECIPES,
    *dependencies.RECIPES,
    *guards.RECIPES,
    *routes.RECIPES,
    *stores.RECIPES,
    *besides.RECIPES,
    *servers.RECIPES,
    *flags.RECIPES,
    *topics.RECIPES,
)
"""Those that only make sense on some families."""

check_names(FAMILIES)


def list_repairs(begun: Simulated) -> tuple[Recipe, ...]:
    """All good repairs of an incident: each spelling of what must be so again, and what its family has besides."""
    family = begun.problem.fault
    found = goals.find_goals(begun)
    spelled = spellings.spell(found, late=begun.problem.tier == "hard") if found else ()
    return (*spelled, *(recipe for recipe in FAMILIES if family in recipe.families))
