"""Masks, workarounds and sabotages, by layer: what makes an incident look over, or costs more than it mends.

None may be accepted, on any family of which it is no true repair.
"""

from aiops_gym.testing.adversary.masks import (
    access,
    belongings,
    cluster,
    databases,
    excess,
    flags,
    marks,
    names,
    placement,
    platform,
    routes,
    state,
    topics,
    workloads,
)
from aiops_gym.testing.adversary.recipe import Recipe, check_names

MASKS: tuple[Recipe, ...] = (
    *routes.RECIPES,
    *names.RECIPES,
    *workloads.RECIPES,
    *placement.RECIPES,
    *access.RECIPES,
    *state.RECIPES,
    *cluster.RECIPES,
    *belongings.RECIPES,
    *marks.RECIPES,
    *excess.RECIPES,
    *databases.RECIPES,
    *platform.RECIPES,
    *flags.RECIPES,
    *topics.RECIPES,
)
"""All of them."""

check_names(MASKS)
