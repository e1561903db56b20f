"""`kubectl create poddisruptionbudget`."""

from __future__ import annotations

import re

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.pairs import parse_selector
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kernel.digits import parse_amount

AMOUNT = re.compile(r"[0-9]+%?")
EMPTY = {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}


def run(call: Invocation) -> int | None:
    """Create a pod disruption budget."""
    name, flags = name_of(call), call.flags
    if not flags.text("selector"):
        raise Failure("a selector must be specified")
    least, most = flags.text("min-available"), flags.text("max-unavailable")
    if not least and not most:
        raise Failure("one of min-available or max-unavailable must be specified")
    if least and most:
        raise Failure("min-available and max-unavailable cannot be both specified")
    if not AMOUNT.fullmatch(least or most):
        raise Failure(f"invalid format specified for {'min-available' if least else 'max-unavailable'}")
    selector = parse_selector(flags.text("selector"))
    spec = {"minAvailable" if least else "maxUnavailable": parse_amount(least or most), "selector": selector}
    obj = new_object("policy/v1", "PodDisruptionBudget", name, spec=spec, status=EMPTY)
    make(call, obj, "poddisruptionbudgets")
    return None


verb = Verb(
    "poddisruptionbudget",
    run,
    flags=(
        Flag("selector", help="A label selector to use for this budget."),
        Flag("min-available", help="The minimum number or percentage of available pods this budget requires."),
        Flag("max-unavailable", help="The maximum number or percentage of unavailable pods this budget requires."),
        *FLAGS,
    ),
    aliases=("pdb",),
    usage="create poddisruptionbudget NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]",
    short="Create a pod disruption budget with the specified name",
)
