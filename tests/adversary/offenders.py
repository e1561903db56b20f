"""What the judge still gets wrong, or the simulator lacks: recipes by name, each with why. To be kept empty.

An entry that no longer offends fails the long suite: take it out.
"""

ACCEPTED: dict[str, str] = {}
"""Masks that are accepted."""

REFUSED: dict[str, str] = {}
"""Good repairs that are refused."""

REPAIRING: dict[int, str] = {}
"""Scripts without a question that repair more than one mitigation in twenty, by number."""
