"""What is known of one thing of the cluster."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

TRAFFIC = ("called_fails", "called_slow", "calls_fail", "calls_slow", "fails_itself", "slow_itself")
"""What the traces tell of a component: of the calls to it, of its calls to others, and of itself; 0 to 1."""

AGES = ("restarted_just_now", "restarted_often", "made_just_now")
"""How lately the pods of a component were restarted (1 for now, one half after a minute), how often, and made."""


@dataclass
class Component:
    """One deployment, and the service of its name.

    Attributes:
        signs: those of `signs.SIGNS` that it shows, as last looked at.
        looks: those of `signs.LOOKS` that were taken.
        older: it has an older revision.
        traffic: by `TRAFFIC`.
        ages: by `AGES`.
        strain: by `rates.STRAIN`.
        edited: how lately it was changed, 0 to 1.
        wanted: replicas that it shall have.
        touched: it was changed in this episode.
    """

    symptoms: set[str] = field(default_factory=set)
    looks: set[str] = field(default_factory=set)
    older: bool = False
    traffic: dict[str, float] = field(default_factory=dict)
    ages: dict[str, float] = field(default_factory=dict)
    strain: dict[str, float] = field(default_factory=dict)
    edited: float = 0.0
    wanted: int = 1
    touched: bool = False

    def copy(self) -> Component:
        """Another one of which something else may be learnt."""
        symptoms, looks, traffic = set(self.symptoms), set(self.looks), dict(self.traffic)
        return replace(
            self, symptoms=symptoms, looks=looks, traffic=traffic, ages=dict(self.ages), strain=dict(self.strain)
        )


@dataclass
class Other:
    """Another object: a policy, a quota, a node, a release, ...

    Attributes:
        kind: as in `tables.KINDS`.
        facts: cells of its row.
        signs: those of `signs.OF_OTHERS` that it shows.
    """

    kind: str
    facts: dict[str, str] = field(default_factory=dict)
    symptoms: set[str] = field(default_factory=set)

    def copy(self) -> Other:
        """Another one of which something else may be learnt."""
        return replace(self, facts=dict(self.facts), symptoms=set(self.symptoms))
