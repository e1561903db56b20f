"""Groups of recording and alerting rules, read from the YAML that Prometheus reads.

Format: https://prometheus.io/docs/prometheus/2.47/configuration/recording_rules/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import yaml

from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.kernel.yamltext import load
from aiops_gym.types import Json

INTERVAL = MINUTE
"""Milliseconds between two evaluations where neither a group nor the configuration says so."""

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")

RECORDING = frozenset(("record", "expr", "labels"))
ALERTING = frozenset(("alert", "expr", "for", "keep_firing_for", "labels", "annotations"))
GROUP = frozenset(("name", "interval", "query_offset", "limit", "rules"))


class RuleError(Exception):
    """A file of rules that Prometheus would not load: what is wrong with it, in its words."""


class Rule(NamedTuple):
    """One rule.

    Attributes:
        name: of the alert, or of the series that is recorded.
        expr: the query.
        alerting: whether it is an alert.
        hold: ms for which it must hold until it fires.
        keep: ms for which it goes on firing afterwards.
        labels, annotations: (name, template).
    """

    name: str
    expr: str
    alerting: bool
    hold: int = 0
    keep: int = 0
    labels: tuple[tuple[str, str], ...] = ()
    annotations: tuple[tuple[str, str], ...] = ()


class Group(NamedTuple):
    """Rules that are evaluated one after the other, at the same times.

    Attributes:
        name: within its file.
        file: its path.
        interval: ms between two evaluations.
        rules: in their order.
    """

    name: str
    file: str
    interval: int
    rules: tuple[Rule, ...]


def read_groups(
    text: str, file: str, parse_duration: Callable[[str], int], interval: int = INTERVAL
) -> Sequence[Group]:
    """The groups of a file.

    Args:
        text: YAML.
        file: its path.
        parse_duration: ms of a duration such as `5m`; raises ValueError.
        interval: ms, of groups that name none.

    Raises:
        RuleError: Prometheus would not take the file.
    """
    try:
        data = load(text)
    except yaml.YAMLError as error:
        raise RuleError(f"{file}: yaml: {' '.join(str(error).split())}") from None
    if data is None:
        return []
    groups = _mapping(data, frozenset(("groups",)), file).get("groups") or []
    if not isinstance(groups, list):
        raise RuleError(f"{file}: yaml: unmarshal errors: groups is no list")
    found = [_group(each, file, parse_duration, interval) for each in groups]
    names = [group.name for group in found]
    for name in names:
        if names.count(name) > 1:
            raise RuleError(f'{file}: groupname: "{name}" is repeated in the same file')
    return found


def _mapping(data: Json, known: frozenset[str], where: str) -> Mapping[str, Json]:
    if not isinstance(data, dict):
        raise RuleError(f"{where}: yaml: unmarshal errors: cannot unmarshal {type(data).__name__} into a mapping")
    for name in data:
        if name not in known:
            raise RuleError(f"{where}: yaml: unmarshal errors: field {name} not found")
    return data


def _group(data: Json, file: str, parse_duration: Callable[[str], int], interval: int) -> Group:
    given = _mapping(data, GROUP, file)
    name = str(given.get("name") or "")
    if not name:
        raise RuleError(f"{file}: Groupname must not be empty")
    every = _duration(given.get("interval"), file, parse_duration) or interval
    where = f'{file}: group "{name}"'
    rules = given.get("rules") or []
    if not isinstance(rules, list):
        raise RuleError(f"{where}: yaml: unmarshal errors: rules is no list")
    made = [_rule(each, f"{where}, rule {at}", parse_duration) for at, each in enumerate(rules, 1)]
    return Group(name, file, every, tuple(made))


def _rule(data: Json, where: str, parse_duration: Callable[[str], int]) -> Rule:
    given = _mapping(data, RECORDING | ALERTING, where)
    alert, record = given.get("alert"), given.get("record")
    if bool(alert) == bool(record):
        which = "only one of" if alert else "one of"
        raise RuleError(f"{where}: {which} 'record' and 'alert' must be set")
    if not str(given.get("expr") or "").strip():
        raise RuleError(f"{where}: field 'expr' must be set in rule")
    for name in () if alert else sorted(ALERTING - RECORDING - {"alert"}):
        if given.get(name):
            raise RuleError(f"{where}: invalid field '{name}' in recording rule")
    if record and not NAME.fullmatch(str(record)):
        raise RuleError(f"{where}: invalid recording rule name: {record}")
    hold, keep = (_duration(given.get(name), where, parse_duration) for name in ("for", "keep_firing_for"))
    labels, notes = (_texts(given.get(name), f"{where}: {name}") for name in ("labels", "annotations"))
    return Rule(str(alert or record), str(given["expr"]).strip(), bool(alert), hold, keep, labels, notes)


def _duration(value: Json, where: str, parse_duration: Callable[[str], int]) -> int:
    if value in (None, "", 0):
        return 0
    try:
        return parse_duration(str(value))
    except ValueError:
        raise RuleError(f'{where}: not a valid duration string: "{value}"') from None


def _texts(value: Json, where: str) -> tuple[tuple[str, str], ...]:
    found = {} if value is None else value
    if not isinstance(found, dict):
        raise RuleError(f"{where}: yaml: unmarshal errors: cannot unmarshal into map[string]string")
    for name in found:
        if not LABEL.fullmatch(str(name)) or (name == "__name__" and where.endswith("labels")):
            raise RuleError(f"{where}: invalid label name: {name}")
    return tuple(sorted((str(name), str(text)) for name, text in found.items()))
