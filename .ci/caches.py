"""Writes docs/caches.md from what the caches say of themselves; with --measure, what each of them gains as well.

python .ci/caches.py             # the declarations anew, with the figures that the page has
python .ci/caches.py --measure   # some minutes: the same work with each cache turned off, one after the other
"""

from __future__ import annotations

import ast
import json
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from statistics import median, quantiles

HOUSE = Path(__file__).resolve().parent.parent
PACKAGE = HOUSE / "aiops_gym"
PAGE = HOUSE / "docs" / "caches.md"

ROUNDS = 3
"""Times that the work is done with each cache off; the quickest counts."""

MARKS = ("<!-- measured -->", "<!-- end of measured -->")
NOT_MET = "not met"
HEAD = "| cache | saves | kept under | bound | made wrong by | off : on |\n|---|---|---|---:|---|---:|"

ABOUT = """\
# Caches

Written by `python .ci/caches.py` from the declarations in the code, with `--measure` for the figures; do not edit.

A cache keeps what can be worked out again from its key. Same seed, same bytes: with and without any of them, and
whatever the process did before. `make test-uncached` runs the tests that would notice with all caches off
(`AIOPS_GYM_CACHES=off`, which is for tests only). They are declared with
`aiops_gym/caches.py` in four ways: `function` (results by arguments), `Cache`
(values by keys), `slot` (in the `memo` of one stored object or world) and `Beside` (one value beside one object).

No key holds an address in memory (`id()`): keys are values, or hold the very objects and compare those. Where a bound
is given, what was used least recently goes first; what has none goes with the object that it was read from.

One cache outlives its process (`backends/shelf.py`): what a world was before an incident is written to the folder
`pasts` of the user's cache folder, or of the one that `AIOPS_GYM_CACHE` names, and read by every later process. A file
is 10 to 500 kB of data, all of them together stay below 200 MB; they follow from the package's own files, whose digest
names their folder. Folders of earlier states of the package are removed, but for the last two. All of it can be
removed at any time, and where nothing can be written, worlds are simulated as before.

In memory, what a process has read of one application's pasts stays below 150 MB: nine in ten of the dicts and lists of
a world are equal to others', and are one object (`sim.kernel.shared`), and of the lived-in worlds those used last are
kept (`backends.warmup.lives`); another one is read again, in some hundredths of a second.
A learner, which draws from all of them for hours, keeps all, at 160 MB more for each of its processes.
"""

APART = """\
## No caches

*Registries* are read once and never change in a process, whatever is asked of it, and so have nothing to invalidate
(`functools.cache`): {registries}.

*Parts of an object* (`functools.cached_property`) belong to an object that does not change and end with it.
*Pools* hold what is dear to start, and no results: engines of the shell (`shell.engine`), opened conversions of
recorded telemetry (`openrca.store.shelf`). *State* of a world (indexes of the store, the timeline) is part of it.
Conversions of recorded telemetry on disk have a page of their own, [the columnar store](openrca-store.md).
"""


def sources() -> Iterator[tuple[str, str]]:
    """Name and text of each module."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(HOUSE).with_suffix("").parts
        yield ".".join(parts).removesuffix(".__init__"), path.read_text(encoding="utf-8")


def declared() -> Mapping[str, object]:
    """All caches of the package, by name."""
    for name, text in sources():
        if re.search(r"^from aiops_gym(\.caches)? import .*\b(caches|Cache|Beside)\b", text, re.MULTILINE):
            import_module(name)
    return dict(sorted(import_module("aiops_gym.caches").ENTRIES.items()))


def registries() -> Iterator[str]:
    """Functions under `functools.cache`."""
    for name, text in sources():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(each, ast.Name) and each.id == "cache" for each in node.decorator_list
            ):
                yield f"`{name.removeprefix('aiops_gym.')}.{node.name}`"


def page(figures: Mapping[str, str], where: str) -> str:
    """The page.

    Args:
        figures: what each cache gains; one without a figure makes the page incomplete.
        where: how and on what that was measured.
    """
    rooms: dict[str, list[str]] = {}
    for name, entry in declared().items():
        parts = name.split(".")
        rooms.setdefault("/".join(parts[: 2 if parts[0] == "sim" else 1]), []).append(
            _row(entry, figures.get(name, "?"))
        )
    tables = [f"## {room}\n\n{HEAD}\n" + "\n".join(rows) for room, rows in rooms.items()]
    measured = f"{MARKS[0]}\n{where.strip()}\n{MARKS[1]}"
    return "\n".join([ABOUT, measured, "", "\n\n".join(tables), "", APART.format(registries=", ".join(registries()))])


def _row(entry: object, figure: str) -> str:
    bound = f"{entry.bound:,} {entry.unit}" if entry.bound else "goes with it"
    cells = (f"`{entry.name}`", entry.saves, entry.key, bound, entry.ends, figure)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def known(text: str) -> tuple[dict[str, str], str]:
    """The figures of a page, and where they were measured."""
    figures = dict(re.findall(r"^\| `([^`]+)` \|.*\| ([^|]+) \|$", text, re.MULTILINE))
    return figures, text.partition(MARKS[0])[2].partition(MARKS[1])[0]


def measure() -> tuple[dict[str, str], str]:
    """What each cache gains: CPU time of some work with it off, in that with all on."""
    entries, work = declared(), _work()
    work()
    work()
    figures, usual = {}, list[float]()
    for name, entry in entries.items():
        if not entry.met:
            figures[name] = NOT_MET
            continue
        # In turn, so that a machine that grows busy meets both alike.
        pairs = [(_apart(work, (entry,)), _apart(work, ())) for _ in range(ROUNDS)]
        off, on = (min(times) for times in zip(*pairs, strict=True))
        usual.append(on)
        figures[name] = f"{off / on:.2f}"
        print(f"{figures[name]:>8}  {name}", file=sys.stderr)
    whole = min(_apart(work, tuple(entries.values())) for _ in range(ROUNDS)) / median(usual)
    spread = quantiles(usual, n=20)[-1] / median(usual)
    return figures, (
        f"The last column is the CPU time of some work with that one cache off, divided by the time with all on: two\n"
        f"resets, the 20 commands of `aiops-gym bench` twice, logs, metrics, traces, a fork, a snapshot, in each of\n"
        f"two applications. All off, it takes {whole:.1f} times as long. The quickest of {ROUNDS} runs counts, each\n"
        f"in a process forked from one that has done the work before, in turn with all on. Those with all on, which\n"
        f"are the same, differ by {100 * (spread - 1):.0f} % (95th percentile by the median): less says nothing, and\n"
        f"such a cache serves other work, or saves memory.\n"
        f"*{NOT_MET}*: nothing in this work asks for it. Python {platform.python_version()}, {platform.machine()}."
    )


def _apart(work: Callable[[], None], off: tuple[object, ...]) -> float:
    """CPU seconds of the work in a process of its own, in which some caches are off."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        for entry in off:
            entry.off = True
        begin = time.process_time()
        work()
        os.write(writable, json.dumps(time.process_time() - begin).encode())
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable) as told:
        found = told.read()
    os.waitpid(child, 0)
    return float(json.loads(found))


def _work() -> Callable[[], None]:
    import gymnasium as gym  # noqa: PLC0415  # Only now may the package be imported: caches must have switches.

    from aiops_gym.catalog.registry import fill_in  # noqa: PLC0415
    from aiops_gym.types import Call  # noqa: PLC0415

    mix = json.loads((PACKAGE / "cli" / "mix.json").read_text(encoding="utf-8"))
    problems = ("revoke_auth_mongodb-mitigation-1", "scale_pod_zero_social_net-mitigation-1")
    env = gym.make("aiops_gym/Mitigation-v0", max_episode_steps=-1)

    def work() -> None:
        for problem in problems:
            for seed in range(2):
                env.reset(options={"problem": problem, "episode_seed": seed})
            app = env.get_wrapper_attr("app")
            names = {"namespace": app.namespace, **mix["names"][app.id]}
            commands = 2 * [str(Call("exec_shell", (fill_in(text, names),))) for text in mix["commands"]]
            getters = [str(Call(name, (app.namespace, 5))) for name in ("get_metrics", "get_traces")]
            for action in (*commands, *getters, str(Call("get_logs", (app.namespace, names["component"])))):
                env.step(action)
            env.get_wrapper_attr("fork")()
            env.get_wrapper_attr("snapshot")()

    return work


if __name__ == "__main__":
    sys.path.insert(0, str(HOUSE))
    if "--measure" in sys.argv:
        os.environ["AIOPS_GYM_CACHES"] = "switches"
        found = measure()
    else:
        found = known(PAGE.read_text(encoding="utf-8") if PAGE.exists() else "")
    PAGE.write_text(page(*found), encoding="utf-8")
