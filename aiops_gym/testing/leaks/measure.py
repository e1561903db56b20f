"""Playing many resets, and what the classifiers and rules make of them; the page `docs/leaks.md`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from aiops_gym.backends import Simulated
from aiops_gym.backends.warmup import find_decisions
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Create, Patch, Problem
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.testing.leaks import learners, looks, played, rules

Known = Mapping[tuple[str, str], Obj]


@dataclass
class Episode:
    """What was read of one reset.

    Attributes:
        problem: what is wrong.
        group: episodes that are alike: the same fault on the same component, or the same healthy world.
        numbers: by name, without symptoms.
        symptoms: by name.
        writes: who wrote when, as far as the cluster remembers it.
        differences: fields of each component that are not as in the manifests.
        named: by rule, components.
        recreated: the incident made its target anew.
        well: the pods of its target are ready and have never ended, so that they are no symptom.
        guard: whether the youngest policy or quota is the incident's, None where the incident made none.
        alone: whether it is the only young one.
        decided: components about which something was decided.
        written: by kind of what the incident wrote, whether what was written last is its own, and how likely any is.
    """

    problem: Problem
    group: str
    numbers: looks.Numbers
    symptoms: looks.Numbers
    writes: looks.Numbers
    differences: dict[str, set[str]]
    named: dict[str, frozenset[str]]
    recreated: bool = False
    well: bool = False
    guard: bool | None = None
    alone: bool = False
    decided: frozenset[str] = field(default_factory=frozenset)
    written: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def sick(self) -> bool:
        """Whether something is wrong."""
        return bool(self.problem.fault)


def play(task: str, split: str, seeds: Iterable[int], tier: str | None = None) -> Iterator[Episode]:
    """Resets of a task, as its environment draws them."""
    known = {app: _remember(app) for app in registry.apps()}
    for seed in seeds:
        problem = registry.draw(task, seed, split, tier=tier)
        yield read_episode(problem, seed, known[problem.app])


def _remember(app: str) -> Known:
    """What the manifests of an app say, as the cluster shows it."""
    healthy = next(p for p in registry.list_healthy("detection") if p.app == app)
    return looks.remember(Simulated(healthy, 0, noise=False))


def read_episode(problem: Problem, seed: int, known: Known) -> Episode:
    """One reset, and what can be read of it."""
    backend = Simulated(problem, seed)
    changes = backend.fault.changes if backend.fault else ()
    created = [c.manifest for c in changes if isinstance(c, Create)]
    made = {each["metadata"]["name"] for each in created if each["kind"] in played.GUARDS}
    name, _, young = rules.find_youngest_guard(backend)
    return Episode(
        problem=problem,
        group=f"{problem.app} {problem.fault} {problem.target}"
        if problem.fault
        else f"{problem.app} {backend.variant}",
        numbers=looks.read_neutral(backend),
        symptoms=looks.read_symptoms(backend),
        writes=looks.read_writes(backend),
        differences=looks.list_differences(backend, known),
        named={rule: find(backend) for rule, find in rules.RULES.items()},
        recreated=any(isinstance(c, Patch) and c.recreate and c.name for c in changes),
        well=looks.are_pods_well(backend, problem.target),
        guard=name in made if made else None,
        alone=young == 1,
        decided=find_decisions(backend.app, backend.variant, seed, problem),
        written=rules.find_last_written(backend) if registry.is_lived_in(problem) else {},
    )


Row = tuple[str, ...]


def judge_detection(found: Sequence[Episode]) -> list[Row]:
    """How well each classifier tells a healthy reset from another one, by what it may look at."""
    labels, groups = np.array([each.sick for each in found]), [each.group for each in found]
    rows: list[Row] = []
    for what, read in LOOKS.items():
        numbers = np.array([list(read(each).values()) for each in found])
        if (numbers == numbers[0]).all():  # in these worlds nobody remembers it
            continue
        for name, learner in learners.LEARNERS.items():
            said = learners.predict(learner, numbers, labels, groups)
            rows.append((what, name, str(learners.score(said, labels))))
    said = np.array(_weigh_detection(found))
    rows.append(("a diff against memorised manifests", "weights of fields", str(learners.score(said, labels))))
    return rows


LOOKS: Mapping[str, Callable[[Episode], looks.Numbers]] = {
    "ages, counts, versions, names": lambda each: each.numbers,
    "who wrote when": lambda each: each.writes,
    "symptoms": lambda each: each.symptoms,
    "number of differences": lambda each: {
        "components": float(sum(map(bool, each.differences.values()))),
        "fields": float(sum(map(len, each.differences.values()))),
    },
}
"""What a classifier may look at."""


def _weigh_detection(found: Sequence[Episode]) -> list[bool]:
    """Whether the most telling difference is as telling as those of incidents that were seen before."""
    said = [False] * len(found)
    for weigher, seen, unseen in _folds(found):
        heights = [(max(map(weigher.weigh, found[i].differences.values())), found[i].sick) for i in seen]
        limit = _best_limit(heights)
        for i in unseen:
            said[i] = max(map(weigher.weigh, found[i].differences.values())) > limit
    return said


def _best_limit(heights: Sequence[tuple[float, bool]]) -> float:
    """The limit that parts healthy and other episodes best."""
    sick, total = sum(each for _, each in heights), len(heights)
    best, limit, over, wrong = 0.0, 1e9, 0, 0
    for height, label in sorted(heights, reverse=True):
        over, wrong = over + label, wrong + (not label)
        value = over / max(1, sick) - wrong / max(1, total - sick)
        if value > best:
            best, limit = value, height - 1e-9
    return limit


def _folds(found: Sequence[Episode]) -> Iterator[tuple[rules.Weigher, list[int], list[int]]]:
    """Somebody who has seen all episodes but those of a part of the groups, by which they are judged."""
    parts = [rules.fold_of(each.group) for each in found]
    for fold in range(rules.FOLDS):
        seen = [i for i, part in enumerate(parts) if part != fold]
        unseen = [i for i, part in enumerate(parts) if part == fold]
        yield rules.Weigher([(found[i].differences, found[i].problem.target) for i in seen]), seen, unseen


def judge_localization(found: Sequence[Episode]) -> list[Row]:
    """How often each rule names the component, where something is wrong with one; by lot where it names several."""
    sick = [each for each in found if each.problem.target]
    guesses = {rule: [_guess(each, each.named[rule]) for each in sick] for rule in rules.RULES}
    for part, chosen in PARTS.items():
        some = [each for each in sick if chosen(each)]
        guesses |= {f"{rule}, {part}": [_guess(e, e.named[rule]) for e in some] for rule in rules.YOUNGEST}
    guesses["a component that differs from memorised manifests"] = [
        _guess(each, frozenset(name for name, paths in each.differences.items() if paths)) for each in sick
    ]
    guesses["the most telling difference from them"] = list(_weigh_localization(sick))
    guesses["a component about which something was decided"] = [_guess(each, each.decided) for each in sick]
    guesses["a component about which nothing was decided"] = [
        _guess(each, frozenset(each.differences) - each.decided) for each in sick
    ]
    guesses["anybody"] = [_guess(each, frozenset()) for each in sick]
    return [(rule, _share([guess.right for guess in rows])) for rule, rows in guesses.items()]


PARTS: Mapping[str, Callable[[Episode], bool]] = {
    "of those made anew": lambda each: each.recreated,
    "where its pods are well": lambda each: each.well,
}
"""Parts of the episodes for which the rules about the youngest are told apart: a pod that crashes is seen anyway."""


def _weigh_localization(found: Sequence[Episode]) -> Iterator[rules.Guess]:
    for weigher, _, unseen in _folds(found):
        for i in unseen:
            weights = {name: weigher.weigh(paths) for name, paths in found[i].differences.items()}
            most = max(weights.values())
            yield _guess(found[i], frozenset(name for name, weight in weights.items() if weight == most))


def _guess(each: Episode, named: frozenset[str]) -> rules.Guess:
    return rules.Guess(named, each.problem.target, len(each.differences))


def judge_mitigation(found: Sequence[Episode]) -> list[Row]:
    """How often it would have been enough to delete the youngest policy or quota, where one is the cause."""
    asked = [each for each in found if each.guard is not None]
    return [
        ("the youngest policy or quota is the cause", _share([float(bool(each.guard)) for each in asked])),
        ("no other one is younger than four minutes", _share([float(each.alone) for each in asked])),
    ]


def judge_writes(found: Sequence[Episode]) -> list[Row]:
    """By kind how often what was written last is the incident's, and how often any would be."""
    kinds = sorted({kind for each in found for kind in each.written})
    rows = {kind: [each.written[kind] for each in found if kind in each.written] for kind in kinds}
    return [(kind, _share([hit for hit, _ in some]), _share([any_ for _, any_ in some])) for kind, some in rows.items()]


def judge_decisions(found: Sequence[Episode]) -> list[Row]:
    """How often something was decided about the target, and about any component."""
    sick = [each for each in found if each.problem.target and registry.is_lived_in(each.problem)]
    mean = [len(each.decided & set(each.differences)) / len(each.differences) for each in sick]
    return [
        ("about the target", _share([float(each.problem.target in each.decided) for each in sick])),
        ("about any component", _share(mean)),
    ]


def _share(values: Sequence[float]) -> str:
    """A mean with its interval of 95 %, and of how many."""
    if not values:
        return "-"
    mean, wide = float(np.mean(values)), 1.96 * float(np.std(values)) / len(values) ** 0.5
    return f"{mean:.3f} ({max(0.0, mean - wide):.3f} to {mean + wide:.3f}) of {len(values)}"


def judge_scripts(typed: Mapping[str, Sequence[float]]) -> list[Row]:
    """How often what was typed without a look repaired something."""
    return [(name, _share(values)) for name, values in typed.items()]


def render_page(
    detection: Sequence[Episode], localization: Sequence[Episode], typed: Mapping[str, Sequence[float]], drawn: str
) -> str:
    """The page; `drawn` says of which problems."""
    parts = [
        ABOUT.format(detection=len(detection), localization=len(localization), drawn=drawn),
        "\n## Detection\n\nBalanced accuracy; 0.5 is what nothing tells.\n",
        _table(("what is looked at", "who looks", "balanced accuracy"), judge_detection(detection)),
        "\n## Localization\n\nShare of episodes in which the one named component is the right one.\n",
        _table(("rule", "right"), judge_localization(localization)),
        "\n## Mitigation\n\nWhere a policy or a quota is the cause.\n",
        _table(("rule", "share"), judge_mitigation([*detection, *localization])),
        "\nShare of drawn mitigations that are repaired by somebody who looks at nothing but ages.\n",
        _table(("what is typed", "repaired"), judge_scripts(typed)),
        "\n## Writes\n\nOf computed problems in which the incident writes an object of a kind, the share in which it "
        "is the one with the highest resourceVersion.\n",
        _table(("kind", "written last", "any"), judge_writes([*detection, *localization])),
        "\n## Decisions\n\nShare of episodes in which people had decided something for good before the incident.\n",
        _table(("about whom", "share"), judge_decisions(localization)),
    ]
    return "\n".join(parts)


ABOUT = """# Leaks by statistics

Written by `aiops-gym leaks --write docs/leaks.md`; do not edit.

What can be told of an incident without its symptoms. {detection} resets of Detection and {localization} of
Localization, as their environments draw them in {drawn}, were read once, right after the reset. Classifiers
learn from some problems and are judged by others; intervals hold 95 %.
"""


def _table(head: Row, rows: Sequence[Row]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], f"|{'---|' * len(head)}", *lines[1:]])
