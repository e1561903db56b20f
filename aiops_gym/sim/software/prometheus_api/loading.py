"""The rules that a running Prometheus has: of the files that its configuration names, as they lie in its container."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

import yaml

from aiops_gym import caches
from aiops_gym.sim.alerts.rules import INTERVAL, Group, RuleError, read_groups
from aiops_gym.sim.alerts.source import Ruled
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kernel.yamltext import load
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.promql import evaluate
from aiops_gym.sim.promql.durations import parse_duration
from aiops_gym.sim.promql.parser import parse
from aiops_gym.sim.promql.series import Series, Source
from aiops_gym.sim.telemetry.source import open_source

CONFIG = "/etc/config/prometheus.yml"


def open_rules(world: World, process: Process) -> Ruled:
    """The samples that a Prometheus has, with those of its rules."""
    container = Container(world, f"{process['uid']}/{process['container']}")
    groups = load_groups(container.files())
    return Ruled(open_source(world), groups, _query, world.seed, process["started"], world.now)


def load_groups(files: Mapping[str, str]) -> Sequence[Group]:
    """The groups of all files of rules. One that is broken has none: Prometheus would go on with what it had."""
    patterns, interval = _read_config(files.get(CONFIG, ""))
    found = list[Group]()
    for pattern in patterns:
        for path in sorted(files):
            if fnmatchcase(path, pattern):
                found += _read(files[path], path, interval)
    return found


@caches.function(64, "reading a file of rules")
def _read(text: str, path: str, interval: int) -> Sequence[Group]:
    try:
        return read_groups(text, path, parse_duration, interval)
    except RuleError:
        return []


@caches.function(16, "reading Prometheus' configuration")
def _read_config(text: str) -> tuple[Sequence[str], int]:
    """Patterns of files of rules, and ms between evaluations."""
    try:
        config = load(text)
        files = [str(each) for each in config.get("rule_files") or ()]
        return files, parse_duration(str((config.get("global") or {}).get("evaluation_interval", "1m")))
    except (yaml.YAMLError, AttributeError, TypeError, ValueError):
        return [], INTERVAL


def _query(source: Source, text: str, start: int, end: int, step: int) -> Sequence[Series]:
    return evaluate.query_range(source, parse(text), start, end, step).series
