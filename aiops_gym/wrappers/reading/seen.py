"""What an agent has seen: names and signs of trouble. How they are learnt from a turn is in `reader`."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from aiops_gym.wrappers.reading import indicators
from aiops_gym.wrappers.reading.entity import Component, Other
from aiops_gym.wrappers.reading.manifests import Manifest
from aiops_gym.wrappers.reading.outliers import Drift
from aiops_gym.wrappers.reading.settings import File

ALL = "1,$"
"""All lines, for sed."""


@dataclass
class Seen:
    """One episode as the agent knows it.

    Attributes:
        namespace: of the application, "" until the prompt has named it.
        components: by name, in the order in which they were first seen.
        others: other objects, by (kind, name).
        deployments: what they are made of, by name; `services` likewise.
        unread: which lines of the listing of deployments are to be read next, as sed has it: where one was cut, those
            that were left out; without, all.
        files: of ConfigMaps, by (name, key).
        traces: path of the last file of traces, "" for none; `metrics` likewise, of a folder.
        ever: signs that were seen at any time, as (component, sign).
        listed: kinds of which a list was seen, and whether nothing was changed since.
        told: the last list of alerts, and of changes, by these words.
        said: texts of the actions so far; `lately` those since something was changed, or was waited for.
        changed: something was changed in this episode.
        at: the component that was described last, "" for none.
        turns: all that it was learnt from: what was done and what was printed.
    """

    namespace: str = ""
    components: dict[str, Component] = field(default_factory=dict)
    others: dict[tuple[str, str], Other] = field(default_factory=dict)
    deployments: dict[str, Manifest] = field(default_factory=dict)
    services: dict[str, Manifest] = field(default_factory=dict)
    unread: str = ALL
    files: dict[tuple[str, str], File] = field(default_factory=dict)
    traces: str = ""
    metrics: str = ""
    ever: set[tuple[str, str]] = field(default_factory=set)
    listed: dict[str, bool] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    lately: set[str] = field(default_factory=set)
    changed: bool = False
    at: str = ""
    turns: list[tuple[str, str]] = field(default_factory=list)
    _drifts: dict[str, dict[str, Drift]] = field(default_factory=dict)
    _lines: dict[str, str] = field(default_factory=dict)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Another one that learns on by itself; what never changes is shared."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | set | list):
                setattr(other, name, value.copy())
        other.components = {name: each.copy() for name, each in self.components.items()}
        other.others = {name: each.copy() for name, each in self.others.items()}
        return other

    def component(self, name: str) -> Component:
        """A component by name, known from now on."""
        found = self.components.get(name)
        return self.components.setdefault(name, Component()) if found is None else found

    def owner(self, pod: str) -> str:
        """The component that a pod or a replica set belongs to, "" for none."""
        if pod in self.components:
            return pod
        return next((found[1] for each in indicators.OWNED if (found := each.fullmatch(pod))), "")

    def forget(self, those: tuple[str, ...], names: frozenset[str] | None = None) -> None:
        """Signs that are shown anew: of all components, or of those named."""
        for name, component in self.components.items():
            if names is None or name in names:
                component.symptoms.difference_update(those)

    def drifts(self, component: str) -> Mapping[str, Drift]:
        """The fields in which a component differs from its peers, as far as manifests were seen."""
        return self._drifts.get(component, {})

    def progress(self) -> float:
        """From 0 to 1: trouble found, looked into, and gone again, each a third.

        The first grows with the number of signs found. The second is how many signs there are at the component that was
        described last, against where most are. The third is the share of the signs found that are no longer there.
        """
        if not self.ever:
            return 0.0
        counts: dict[str, int] = {}
        for name, _ in self.ever:
            counts[name] = counts.get(name, 0) + 1
        found, standing = len(self.ever), sum(len(each.symptoms) for each in self.components.values())
        here = counts.get(self.at, 0) / max(counts.values())
        return (found / (found + 5) + here + max(0, found - standing) / found) / 3

    def strange(self, component: str) -> list[File]:
        """The files of a component's ConfigMaps that are unlike all others of their name."""
        owners = {component}
        if component in self.deployments:
            owners |= {
                volume["configMap"].get("name", "")
                for volume in self.deployments[component].values.get("pod volumes", ())
                if "configMap" in volume
            }
        return [each for each in self.files.values() if each.strange and each.owner in owners]
