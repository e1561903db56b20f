"""Queries drawn from the grammar: every function, aggregation, operator and kind of matching, and what is wrong."""

from __future__ import annotations

import random
from collections.abc import Callable

from promql_samples import LENGTH, START

from aiops_gym.sim.promql.signatures import SIGNATURES

SELECTORS = (
    *(
        "up",
        "http_requests_total",
        "http_requests_total{code=~'5..'}",
        'http_requests_total{method!="GET",code!~"4.*"}',
    ),
    *("container_cpu_usage_seconds_total", 'container_memory_working_set_bytes{namespace="shop"}', "temperature"),
    *("kube_pod_info", "kube_pod_container_resource_limits{resource='cpu'}", "latency_seconds_bucket", "missing"),
    *("latency_seconds_sum", "latency_seconds_count", 'kube_pod_status_phase{phase="Running"}', "strange"),
    *(
        '{__name__=~"latency_seconds_(sum|count)"}',
        '{job="api",__name__!~".*_bucket"}',
        'up{job=~"api|"}',
        "missing{a='b'}",
    ),
    *("namespace_workload_pod:kube_pod_owner:relabel", 'temperature{_x="é\\\\"}', "kube_pod_status_phase"),
)
LABELS = (
    "job",
    "instance",
    "method",
    "code",
    "namespace",
    "pod",
    "container",
    "node",
    "le",
    "resource",
    "phase",
    "nope",
)
DURATIONS = ("1m", "90s", "2m", "5m", "7m30s", "10m", "30m", "1h", "14s", "1h5m")
NUMBERS = ("0", "1", "2", "0.5", "-1", "1e3", "0x1F", "3.7", "NaN", "Inf", "-0.25", "0.99", "60", "010")
ARITHMETIC = ("+", "-", "*", "/", "%", "^", "atan2")
COMPARISONS = ("==", "!=", ">", "<", ">=", "<=")
SETS = ("and", "or", "unless")
SIMPLE = ("sum", "avg", "min", "max", "count", "group", "stddev", "stdvar")
NATIVE = ("histogram_count", "histogram_sum", "histogram_fraction")


class Drawer:
    """Draws queries; how deep they go is limited."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.vectors = [name for name, each in SIGNATURES.items() if each.returns == "vector"]

    def query(self) -> str:
        """A query that Prometheus can read, mostly."""
        draw = self.rng.choices((self.vector, self.scalar), (12, 1))[0]
        return draw(3)

    def maybe(self, chance: float) -> bool:
        return self.rng.random() < chance

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def shift(self) -> str:
        """`offset` and `@`."""
        found = ""
        if self.maybe(0.12):
            found += f" offset {self.pick('', '-')}{self.pick(*DURATIONS)}"
        if self.maybe(0.1):
            at = f"{(START + self.rng.randrange(LENGTH)) / 1000:.3f}"
            found = self.pick(f"{found} @ {self.pick(at, 'start()', 'end()')}", f" @ {at}{found}")
        return found

    def selector(self) -> str:
        return self.pick(*SELECTORS)

    def vector(self, depth: int) -> str:
        if depth <= 0 or self.maybe(0.12):
            return self.selector() + self.shift()
        kinds: tuple[Callable[[int], str], ...] = (self.call, self.aggregation, self.binary, self.wrapped)
        return self.rng.choices(kinds, (6, 4, 4, 1))[0](depth)

    def wrapped(self, depth: int) -> str:
        return self.pick("({})", "-{}", "-({})", "+({})").format(self.vector(depth - 1))

    def scalar(self, depth: int) -> str:
        if depth <= 1 or self.maybe(0.6):
            return self.pick(*NUMBERS, "time()", "pi()", "-time()")
        if self.maybe(0.3):
            return f"scalar({self.vector(depth - 1)})"
        op = self.pick(*ARITHMETIC, *(f"{each} bool" for each in COMPARISONS))
        return f"{self.scalar(depth - 1)} {op} {self.pick(*NUMBERS)}"

    def ranged(self, depth: int) -> str:
        if depth <= 1 or self.maybe(0.8):
            return f"{self.selector()}[{self.pick(*DURATIONS)}]{self.shift()}"
        step = self.pick("", "30s", "1m", "2m", "5m", "17s")
        inner = self.vector(depth - 2)
        inner = inner if inner.startswith("(") else f"({inner})"
        return f"{inner}[{self.pick(*DURATIONS)}:{step}]{self.shift()}"

    def call(self, depth: int) -> str:
        name = self.rng.choice(self.vectors)
        if name in ("label_replace", "label_join"):
            return self.relabelled(name, depth)
        if name == "histogram_quantile" and self.maybe(0.8):
            labels = self.pick("", "by (le) ", "by (le, job) ", "without (instance) ")
            inner = f"sum {labels}(rate(latency_seconds_bucket[{self.pick(*DURATIONS)}]))"
            return f"histogram_quantile({self.scalar(1)}, {self.pick(inner, 'latency_seconds_bucket')})"
        if name == "holt_winters":
            return (
                f"holt_winters({self.ranged(depth)}, {self.pick('0.3', '0.9', '0.01', '1')}, {self.pick('0.1', '0.7')})"
            )
        signature = SIGNATURES[name]
        kinds = [*signature.takes]
        if signature.optional and self.maybe(0.5):
            kinds.pop()
        draws = {"vector": self.vector, "scalar": self.scalar, "matrix": self.ranged}
        return f"{name}({', '.join(draws[kind](depth - 1) for kind in kinds)})"

    def relabelled(self, name: str, depth: int) -> str:
        inner, label, other = self.vector(depth - 1), self.pick(*LABELS, "new"), self.pick(*LABELS)
        if name == "label_join":
            return f'label_join({inner}, "{label}", "{self.pick("-", "", "/")}", "{other}", "{self.pick(*LABELS)}")'
        template = self.pick("$1", "x$2", "${1}-$$", "$name", "", "constant")
        pattern = self.pick("(.*)", "(a)(.*)", "(?P<name>[a-z]+).*", ".+-([0-9]+)", "", "nothing")
        return f'label_replace({inner}, "{label}", "{template}", "{other}", "{pattern}")'

    def names(self) -> str:
        return ", ".join(self.rng.sample(LABELS, self.rng.randrange(4)))

    def aggregation(self, depth: int) -> str:
        op = self.pick(*SIMPLE, "sum", "topk", "bottomk", "quantile", "count_values")
        inner = self.vector(depth - 1)
        if op in ("topk", "bottomk"):
            inner = f"{self.pick('1', '2', '3', '5', '0', 'scalar(vector(2))')}, {inner}"
        elif op == "quantile":
            inner = f"{self.scalar(1)}, {inner}"
        elif op == "count_values":
            inner = f'"{self.pick("value", "code", "pod")}", round({self.selector()}, 100)'
        grouping = self.pick("", f"{self.pick('by', 'without')} ({self.names()})")
        return self.pick(f"{op} {grouping} ({inner})", f"{op}({inner}) {grouping}").strip()

    def matching(self) -> str:
        if self.maybe(0.4):
            return ""
        return f" {self.pick('on', 'ignoring')} ({self.names()})"

    def binary(self, depth: int) -> str:
        if self.maybe(0.25):
            return self.joined()
        if self.maybe(0.4):
            op = self.pick(*ARITHMETIC, *COMPARISONS, *(f"{each} bool" for each in COMPARISONS))
            sides = [self.vector(depth - 1), self.scalar(2)]
            self.rng.shuffle(sides)
            return f"{sides[0]} {op} {sides[1]}"
        left, right = self.vector(depth - 1), self.vector(depth - 1)
        if self.maybe(0.3):
            return f"{left} {self.pick(*SETS)}{self.matching()} {right}"
        op = self.pick(*ARITHMETIC, *COMPARISONS, *(f"{each} bool" for each in COMPARISONS))
        matching = self.matching()
        if matching and self.maybe(0.5):
            matching += self.pick(" group_left", " group_right", " group_left (node)", " group_right (job, nope)")
        return f"{left} {op}{matching} {right}"

    def joined(self) -> str:
        """Sides that do find each other."""
        op = self.pick(*ARITHMETIC, *COMPARISONS, *(f"{each} bool" for each in COMPARISONS))
        cpu = f"rate(container_cpu_usage_seconds_total[{self.pick(*DURATIONS)}])"
        return self.pick(
            f"{cpu} {op} on (namespace, pod) group_left ({self.pick('host_ip', 'node', '')}) kube_pod_info",
            f"kube_pod_info {op} on (pod) group_right () {cpu}",
            f"latency_seconds_sum {op} latency_seconds_count",
            f"latency_seconds_sum {op} ignoring (job) latency_seconds_count",
            f"sum by (job) (http_requests_total{{code='500'}}) {op} sum by (job) (http_requests_total)",
            f"http_requests_total {op} on (instance, job) group_left () up",
            f"http_requests_total {op} ignoring (code, method) group_left up",
            f"container_memory_working_set_bytes {op} on (pod, container) kube_pod_container_resource_limits"
            f"{{resource='memory'}}",
            f"up {op} up offset 1m",
            f"http_requests_total{{code='200'}} {op} ignoring (code) http_requests_total{{code='500'}}",
        )

    def broken(self) -> str:
        """A query with something missing, added or exchanged."""
        text = self.query()
        for _ in range(self.rng.choice((1, 1, 2))):
            at = self.rng.randrange(len(text) + 1)
            cut = self.rng.choice((0, 0, 1, 1, 3, 8))
            added = self.rng.choice(("", "", *BITS))
            text = text[:at] + added + text[at + cut :]
        return text

    def instant(self) -> float:
        """A time, seconds; sometimes one past the last sample."""
        return (START + self.rng.randrange(120_000, LENGTH + 400_000)) / 1000

    def times(self) -> tuple[float, float, float]:
        """Start, end, step."""
        start = START + self.rng.randrange(LENGTH)
        step = self.rng.choice((15_000, 60_000, 300_000, 37_123))
        return start / 1000, (start + step * self.rng.randrange(20) + self.rng.randrange(step)) / 1000, step / 1000


BITS = (
    *("(", ")", "{", "}", "[", "]", ",", "'", '"', "`", " ", "=", "=~", "!", "@", ":", "$", "\\", "\n", "#", "~", "-"),
    *("sum", "by", "on", "bool", "offset", "group_left", "and", "rate", "start", "5m", "1h", "0", "1.5.3", "1x", "foo"),
    *("[5m]", "(a)", "[5m:1m]", " offset 5m", " @ 3", "{a='b'}", " by (a)", "1 > 2", "{}", "nosuch(", "'a'", "é"),
)
