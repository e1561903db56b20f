"""The figures of an admission: a table for people and the page of the documentation, from the same rows."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.catalog import registry
from aiops_gym.catalog.splits import SPLITS, TEST_SHARE
from aiops_gym.testing.admission import RELEASED, UNIVERSAL, Admission, list_pairs
from aiops_gym.testing.adversary.table import Measured, Rote, make_rows, render_share

HEAD = ("family", "pairs", "problems", "of test", "admitted", "users hurt", "steps", "distance", "shown by", "by rote")


def make_table(found: Sequence[Admission]) -> list[tuple[str, ...]]:
    """A row for each family, and one for all: what it is made of, and what was measured."""
    families = sorted({each.fault for each in found})
    rows = [_row(family, [each for each in found if each.fault == family]) for family in families]
    return [HEAD, *rows, _row("all", found)] if found else [HEAD]


def _row(name: str, found: Sequence[Admission]) -> tuple[str, ...]:
    count = len(found)
    asked = [each for each in found if each.tried and _is_mended(each)]
    return (
        name,
        str(count),
        str(sum(each.problems for each in found)),
        str(sum(each.problems for each in found if each.split == "test")),
        render_share(sum(not each.broken for each in found), count),
        render_share(sum(each.hurt for each in found), count),
        f"{sum(each.steps for each in found) / count:.1f}",
        f"{sum(each.distance for each in found) / count:.1f}",
        ", ".join(sorted({place for each in found for place in each.seen})),
        render_share(sum(bool(each.universal) for each in asked), len(asked)),
    )


def measure_rote(found: Sequence[Admission]) -> list[tuple[str, ...]]:
    """How many mitigations of each split every script that asks no question repairs."""
    rows: list[tuple[str, ...]] = []
    for script in (*UNIVERSAL, *RELEASED):
        shares = []
        for split in SPLITS:
            asked = [e for e in found if e.split == split and _mends(e, script)]
            shares.append(render_share(sum(script in each.universal for each in asked), len(asked)))
        rows.append((script, *shares))
    return rows


def _mends(each: Admission, script: str) -> bool:
    """Whether a script can be tried on a pair: there is something to mend, and a release where one is rolled back."""
    able = script in UNIVERSAL or bool(registry.find_app(each.app).releases)
    return able and each.tried and _is_mended(each)


def _is_mended(each: Admission) -> bool:
    """Whether there is something to mend; a composition is made of what can be."""
    fault = registry.faults().get(each.fault)
    return fault is None or bool(fault.fixes)


def render_page(
    found: Sequence[Admission],
    attacked: Sequence[Measured] = (),
    scripts: Sequence[Rote] = (),
    tier: str | None = None,
) -> str:
    """The page `docs/problems.md`, or that of tier `hard`.

    Args:
        found: what became of the pairs.
        attacked: what became of masks and good repairs, a family each.
        scripts: what drawn scripts that ask no question repair.
        tier: `hard` where the pairs are of that tier.
    """
    catalogue, reads = list_pairs(tier=tier), [len(each.chain) for each in found]
    held = sorted(f.id for f in registry.faults().values() if f.held_out)
    parts = [
        ((HARD if tier else OPENING) + ABOUT).format(
            pairs=f"{len(catalogue):,}",
            problems=f"{sum(map(len, catalogue)):,}",
            families=len({pair[0].how or pair[0].fault for pair in catalogue}),
            apps=len(registry.apps()),
            played=f"{len(found):,}",
            admitted=render_share(sum(not each.broken for each in found), len(found)),
            hurt=render_share(sum(each.hurt for each in found), len(found)),
            share=f"{TEST_SHARE:.0%}",
            held=", ".join(f"`{name}`" for name in held),
            reads=f"{sum(reads) / max(1, len(reads)):.1f}",
        ),
        _markdown(make_table(found)),
        ROTE,
        _markdown([("script", *SPLITS), *measure_rote(found), *((each.name, *each.shares) for each in scripts)]),
        *((ADVERSARY, _markdown(make_rows(attacked))) if attacked else ()),
        LABELS,
        _markdown([("fault", "layer", "kind", "also accepted"), *_labels()]),
    ]
    return "\n".join(parts)


OPENING = """# Problems

Written by `aiops-gym admission --write docs/problems.md`; do not edit.

Beside the problems of AIOpsLab, which keep their ids, each fault is a problem on each component where it makes sense:
{problems} problems of {families} fault families on {pairs} (fault, target) pairs of {apps} applications. Which pairs
make sense is computed from manifests, programs and the calls of users (`aiops_gym.catalog.traits`).
"""
HARD = """# Problems of tier hard

Written by `aiops-gym admission --tier hard --write docs/problems-hard.md`; do not edit.

{problems} problems of {pairs} incidents in {apps} applications: {families} fault families and ways to compose several
faults. In each, reads lead from the page to the cause, {reads} of them on average, and each of them prints something
else than where nothing is wrong; only a repair of all faults of a composition is accepted. Scripts that ask no question
were played on a quarter of the incidents, drawn by hash.
"""
ABOUT = """
Of the {played} pairs that were played for this page {admitted} are admitted: the references earn everything, empty
answers do not, each listed repair is accepted, no shortcut and no repair in another place is, nothing readable names
the fault. In {hurt} users are hurt: over a minute an operation succeeds at least one point more rarely, or takes at
least twice as long and 20 ms more; or messages do not reach who reads them, as they did before.

`aiops_gym.problems(split="test")` are {share} of the pairs of trained families by hash, and whole families that
training never shows: {held}.

- steps: actions of the reference, its submission included
- distance: calls between the users and the component that is hit
- shown by: where the symptom was found without noise
- by rote: share of mitigations that one of the scripts below repairs
"""
ROTE = """
## Scripts that ask no question

Share of the mitigations of each split that are repaired without a diagnosis; for the release, of those of the
applications that were installed as one.
"""
ADVERSARY = """
## Masks and good repairs

Masks, workarounds and sabotages of `aiops_gym.testing.adversary.masks`, none of which may be accepted where it is no
true repair, and good repairs in unusual spellings, of which none may be refused; on a few drawn problems of each family
and seeds, with the names of the offenders.
"""
LABELS = """
## Labels

What Analysis takes as right. The first label is the one that the strict and the AIOpsLab evaluation share; the others
earn the point in strict mode, because people who know the fault may well say so.
"""


def _labels() -> list[tuple[str, ...]]:
    return [
        (fault.id, fault.layer, fault.kind, "; ".join(f"{layer} / {kind}" for layer, kind in fault.also_accept))
        for fault in registry.faults().values()
    ]


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    head, *rest = rows
    lines = [f"| {' | '.join(row)} |" for row in rest]
    return "\n".join([f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines, ""])
