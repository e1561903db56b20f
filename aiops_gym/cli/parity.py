"""Playing one problem on both backends, and what differs: verdicts, what kubectl printed, events, times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium as gym

from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Problem
from aiops_gym.types import Call

Verdict = tuple[float, bool]

ASKED = (
    "kubectl get pods -n {}",
    "kubectl get deployments,services -n {}",
    "kubectl get endpoints -n {}",
    "kubectl get nodes",
)
"""What is printed on both, and compared after masking."""

EVENTS = "kubectl get events -n {} -o custom-columns=REASON:.reason,KIND:.involvedObject.kind --no-headers"

MASKS = (
    (re.compile(r"-[a-z0-9]{8,10}-[a-z0-9]{5}\b"), "-POD"),
    (re.compile(r"\b\d+(\.\d+){3}(:\d+)?"), "IP"),
    (re.compile(r"\b\d+[smhd](\d+[smh])?\b"), "AGE"),
    (re.compile(r"[ \t]+"), " "),
)
"""What differs between any two clusters."""


class Played(NamedTuple):
    """One way to end an episode, on both backends.

    Attributes:
        problem, way: what was played.
        simulated, real: reward and success; empty where it could not be played.
        outputs: commands of which the masked outputs have other lines.
        events: reasons of events that only one of them had.
        seconds: from the first look to the verdict, simulated and real.
        told: why it could not be played, or what the real judge said.
    """

    problem: str
    way: str
    simulated: Sequence[Any]
    real: Sequence[Any]
    outputs: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    seconds: tuple[float, float] = (0.0, 0.0)
    told: str = ""

    @property
    def differs(self) -> bool:
        """Whether the verdicts are not the same, or there is none."""
        return not self.real or tuple(self.simulated) != tuple(self.real)


def compare(problem: Problem, context: str, cluster: Mapping[str, Any]) -> Iterator[Played]:
    """Play a problem in all ways. Raises BackendError."""
    task = f"aiops_gym/{problem.task.capitalize()}-v0"
    simulated = gym.make(task, problem=problem.id, noise=False)
    simulated.reset(seed=0)
    names = list(list_ways(simulated, problem))
    for name in names:
        real = gym.make(task, problem=problem.id, backend="kubernetes", context=context, cluster=dict(cluster))
        try:
            real.reset(seed=0)
            one = _play(simulated.unwrapped.fork()[0], problem, name)  # type: ignore[attr-defined]
            two = _play(real, problem, name)
        finally:
            real.close()
        printed = zip(ASKED, one.outputs, two.outputs, strict=True)
        other = tuple(command.removesuffix(" -n {}") for command, a, b in printed if mask(a) != mask(b))
        events = tuple(sorted(set(one.events) ^ set(two.events)))
        seconds = one.seconds, two.seconds
        yield Played(problem.id, name, one.verdict, two.verdict, other, events, seconds, two.told)


def list_ways(env: Any, problem: Problem) -> Mapping[str, Sequence[str]]:
    """Ways to end an episode that has begun, by name: action texts."""
    reference = list(env.unwrapped.reference_actions())
    app = registry.find_app(problem.app)
    space, other = app.namespace, next(n for n in reversed(app.components) if n not in _concerned(problem))
    if problem.task != "mitigation":
        wrong: dict[str, tuple[Any, ...]] = {
            "detection": ("No" if problem.fault else "Yes",),
            "localization": ([other],),
            "analysis": ({},),
        }
        return {"reference": reference, "wrong": [str(Call("submit", wrong[problem.task]))]}
    submit = str(Call("submit"))
    busy, gone = (
        str(Call("exec_shell", (f"kubectl {words} deployment/{other} -n {space}", 300)))
        for words in ("rollout restart", "delete")
    )
    return {
        "reference": reference,
        "empty": [submit],
        "wrong place": [busy, submit],
        "destructive": [*reference[:-1], gone, submit],
    }


def _concerned(problem: Problem) -> set[str]:
    known = registry.find_app(problem.app).parameters.get(problem.target, {})
    return {problem.target, known.get("service", ""), known.get("cache", "")}


def mask(text: str) -> list[str]:
    """Lines of an output without what differs between any two clusters, sorted.

    >>> mask("geo-86544bc985-hb5zv   1/1  Running  0  5m3s")
    ['geo-POD 1/1 Running 0 AGE']
    """
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return sorted(line.strip() for line in text.splitlines())


class _Turn(NamedTuple):
    verdict: Verdict
    outputs: list[str]
    events: list[str]
    seconds: float
    told: str


def _play(env: Any, problem: Problem, way: str) -> _Turn:
    """Look, then end an episode in one way."""
    space = registry.find_app(problem.app).namespace
    outputs = [env.step(str(Call("exec_shell", (each.format(space),))))[0] for each in ASKED]
    events = env.step(str(Call("exec_shell", (EVENTS.format(space),))))[0].splitlines()
    reward, info = 0.0, dict[str, Any]()
    for action in list_ways(env, problem)[way]:
        _, reward, _, _, info = env.step(action)
    told = str(info["results"].get("reasons", ""))
    return _Turn((float(reward), bool(info["is_success"])), outputs, events, float(info["time"]), told)


def make_table(rows: Sequence[Played]) -> str:
    """A table in Markdown."""
    head = ("problem", "answer", "simulated", "real", "other outputs", "other events", "seconds", "said")
    lines = [_row(head), _row(["---"] * len(head))]
    for row in rows:
        verdicts = (f"{side[0]:g}" if side else "-" for side in (row.simulated, row.real))
        outputs, seconds = ", ".join(row.outputs) or "-", " / ".join(f"{s:.0f}" for s in row.seconds)
        lines.append(_row([row.problem, row.way, *verdicts, outputs, ", ".join(row.events) or "-", seconds, row.told]))
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
