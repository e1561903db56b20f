"""How an agent's turns become what it has seen: read from what it did and what was printed, nothing else."""

from __future__ import annotations

import re

from aiops_gym.wrappers.reading import (
    indicators,
    manifests,
    outliers,
    rates,
    selectors,
    settings,
    signals,
    spans,
    table_readers,
)
from aiops_gym.wrappers.reading.seen import ALL, Seen
from aiops_gym.wrappers.reading.tables import parse_tables

_PROMPT = re.compile(r"^Namespace: (\S+)$", re.MULTILINE)
_CANDIDATES = re.compile(r"^The components are: (.+?)\.?$", re.MULTILINE)
_METRICS = re.compile(r"metrics_output/metric_\w+")
_TRACES = re.compile(r"trace_output/\S+\.csv")
_LOGS = re.compile(r"\blogs\b.*?\bdeployment/([a-z0-9.-]+)|get_logs\(.*[\"']([a-z0-9.-]+)[\"']\s*\)")
_DESCRIBED = re.compile(r"\bdescribe deployment/?\s?([a-z0-9.-]+)")
_DEPLOYMENT = re.compile(r"^[a-z0-9.-]+\t\d+\t(?:\{.*\})?\t\{.*\}$", re.MULTILINE)
_SERVICE = re.compile(r"^[a-z0-9.-]+\t\{.*\}$", re.MULTILINE)
_CUT = re.compile(r"[^\n]*\n\[\.\.\. \d+ characters left out \.\.\.\]\n[^\n]*")
_MUTATES = re.compile(
    r"\bkubectl (?:patch|delete|scale|set|taint|cordon|uncordon|label|annotate|apply|create|edit|replace|autoscale"
    r"|expose|rollout (?:undo|restart|resume|pause))\b|\bhelm (?:rollback|upgrade|uninstall|install)\b"
)
_TARGET = re.compile(r"\b(?:deployment|service)[ /]([a-z0-9.-]+)")


class Reader(Seen):
    """Learns from turns, one after the other.

    >>> seen = Reader()
    >>> seen.read("", "Namespace: shop\\nThe components are: cart, pay.")
    >>> seen.read("", "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\\npay    0/0     0            0           5m")
    >>> list(seen.components), seen.components["pay"].symptoms
    (['cart', 'pay'], {'scaled_to_zero'})
    """

    def read(self, action: str, text: str) -> None:
        """Learn from one turn: what was done, "" for the prompt, and what was printed."""
        self.turns.append((action, text))
        if action:
            self._acted(action)
        self._prompt(text)
        table_readers.note_asked(self, action, text)
        for table in parse_tables(text):
            self.listed[table.kind] = True
            table_readers.READERS.get(table.kind, table_readers.read_other)(self, table)
        self._manifests(text)
        self._settings(text)
        self._spans(text)
        self._rates(text)
        self._signals(action, text)
        self._looked(action, text)
        self._compare()
        self.ever |= {(name, symptom) for name, each in self.components.items() for symptom in each.symptoms}

    def _acted(self, action: str) -> None:
        self.said.add(action)
        if "sleep " in action:
            self.lately.clear()
        self.lately.add(action)
        if not _MUTATES.search(action):
            return
        self.changed = True
        self.unread = ALL
        self.lately = {action}
        self.listed = dict.fromkeys(self.listed, False)
        if (found := _TARGET.search(action)) and found[1] in self.components:
            self.components[found[1]].touched = True

    def _prompt(self, text: str) -> None:
        if not self.namespace and (found := _PROMPT.search(text)):
            self.namespace = found[1]
            if candidates := _CANDIDATES.search(text):
                for name in candidates[1].split(", "):
                    self.component(name)

    def _manifests(self, text: str) -> None:
        parts = _CUT.split(text, maxsplit=1)
        listed = [_DEPLOYMENT.findall(part) for part in parts]
        found = [each for lines in listed for line in lines if (each := manifests.parse_deployment(line))]
        self.deployments |= {each.name: each for each in found}
        for each in found:
            self.component(each.name)
        lines = [line for part in parts for line in _SERVICE.findall(part)]
        self._lines |= {line.partition("\t")[0]: line for line in lines}
        if found:
            self.listed["manifests"] = True
            self.unread = _find_unread(listed)
        if lines:
            self.listed["services"] = True
        if found or lines:
            self._drift()

    def _drift(self) -> None:
        """Compare all that are known anew; a service is like those of deployments with the same image."""
        for name, line in self._lines.items():
            behind = self.deployments.get(name)
            if made := manifests.parse_service(line, behind.image if behind else "", behind.ports if behind else ()):
                self.services[name] = made
        both = (outliers.find_drifts(self.deployments), outliers.find_drifts(self.services))
        self._drifts = {name: {**both[0].get(name, {}), **both[1].get(name, {})} for name in self.components}
        for name, component in self.components.items():
            strong = any(drift.strength > indicators.STRONG for drift in self._drifts[name].values())
            component.symptoms = component.symptoms - {"drifts"} | ({"drifts"} if strong else set())

    def _settings(self, text: str) -> None:
        """The summary of ConfigMaps that `settings` asks for."""
        found = settings.parse_files(text)
        if not found:
            return
        self.listed["settings"] = True
        self.files = {(each.owner, each.key): each for each in found}
        for name, component in self.components.items():
            strange = any(each.strange for each in self.strange(name))
            component.symptoms = component.symptoms - {"strange_settings"} | (
                {"strange_settings"} if strange else set()
            )

    def _spans(self, text: str) -> None:
        """The summary of traces that `spans` asks for, and the path of the file that it is made from."""
        if found := _TRACES.search(text):
            self.traces = found[0]
        rows = spans.parse_operations(text, self.components)
        if not rows:
            return
        self.listed["spans"] = True
        self.forget(("failing_spans", "slow_spans"))
        for name, component in self.components.items():
            component.traffic = indicators.read_traffic(name, rows)
            component.symptoms |= indicators.read_spans(component.traffic)

    def _rates(self, text: str) -> None:
        """The summary of metrics that `rates` asks for, and the path of the folder that it is made from."""
        if found := _METRICS.search(text):
            self.metrics = found[0]
        strained = rates.parse_strain(text, self.owner)
        if not strained:
            return
        self.listed["rates"] = True
        for name, component in self.components.items():
            component.strain = strained.get(name, {})
            component.symptoms = component.symptoms - {"strained"} | (
                {"strained"} if max(component.strain.values(), default=0.0) > indicators.OFTEN else set()
            )

    def _signals(self, action: str, text: str) -> None:
        """The alerts and the changes that were told last, of the components that are known by now."""
        for kind in ("alerts", "changes"):
            if f"get_{kind}(" in action:
                self.listed[kind], self.told[kind] = True, text
        if "alerts" in self.told:
            self.forget(("alerted",))
            for name in signals.find_alerted(self.told["alerts"], self.components):
                self.components[name].symptoms.add("alerted")
        edited = signals.find_edited(self.told.get("changes", ""), self.components)
        for name, component in self.components.items():
            component.edited = edited.get(name, 0.0)

    def _looked(self, action: str, text: str) -> None:
        if (found := _DESCRIBED.search(action)) and found[1] in self.components:
            self.components[found[1]].looks.add("described")
            self.at = found[1]
        logs = _LOGS.search(action)
        name = (logs[1] or logs[2]) if logs else ""
        if name not in self.components:
            return
        component = self.components[name]
        component.looks.add("previous_read" if "--previous" in action else "logs_read")
        component.symptoms.difference_update(indicators.FROM_LOGS)
        component.symptoms |= indicators.read_log(text)
        for other in spans.find_named(indicators.find_wrong_lines(text), self.components):
            if other != name:
                self.components[other].symptoms.add("blamed")

    def _compare(self) -> None:
        """Who bears the name of one in trouble, as a database does that of whom it serves."""
        ill = {name for name, each in self.components.items() if each.symptoms & indicators.TROUBLE}
        for name, component in self.components.items():
            parts = {name.partition("-")[2], name.rpartition("-")[0]} - {""}
            kin = any(parts & {other, other.rpartition("-")[0]} for other in ill - {name})
            component.symptoms = component.symptoms - {"kin"} | ({"kin"} if kin else set())
        for other in self.others.values():
            chosen = self._chosen(other.facts["POD-SELECTOR"]) if "POD-SELECTOR" in other.facts else ()
            harmed = any(self.components[name].symptoms & indicators.HARM for name in chosen)
            other.symptoms = other.symptoms - {"about_trouble"} | ({"about_trouble"} if harmed else set())

    def _chosen(self, selector: str) -> list[str]:
        """Components that a selector chooses: by the labels of their pods, and by its words while none were seen."""
        said = selectors.names(selector)
        return [
            name
            for name in self.components
            if (
                selectors.chooses(selector, self.deployments[name].labels) if name in self.deployments else name in said
            )
        ]


def _find_unread(listed: list[list[str]]) -> str:
    r"""Which lines were left out of a listing, with those before and after, for sed; all where nothing was.

    >>> print(_find_unread([["ad\t1", "cart\t1"], ["quote\t1"]]))
    /^cart\t/,/^quote\t/
    >>> _find_unread([["ad\t1", "cart\t1"]])
    '1,$'
    """
    if len(listed) == 1:
        return ALL
    before, after = ([line.partition("\t")[0] for line in lines] for lines in listed)
    return f"{_address(*before[-1:]) or '1'},{_address(*after[:1]) or '$'}"


def _address(name: str = "") -> str:
    """Where in a listing a name stands, for sed."""
    return name and rf"/^{name}\t/"
