"""Writes docs/tutorials/get-pods.md: the way of one `kubectl get pods` from text to bytes, followed by a profiler.

The stations and what is said of each are in stations.yaml beside this file. All else (the line that leads to a station,
the values) is taken from a step that is run. A test compares the page with a run.
"""

from __future__ import annotations

import linecache
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import gymnasium as gym
import yaml

import aiops_gym

HERE = Path(__file__).parent
PACKAGE = Path(aiops_gym.__file__).parent
PAGE = HERE.parent / "tutorials" / "get-pods.md"
ACTION = 'Look first.\n```\nexec_shell("kubectl get pods -n test-hotel-reservation")\n```'
PROBLEM, SEED = "misconfig_app_hotel_res-detection-1", 7

LONGEST = 400
"""Characters of a value that are shown."""

WIDTH = 118

HEAD = """\
# One `kubectl get pods`, from text to bytes

<!-- Written by `python docs/making/tracing.py` from docs/making/stations.yaml; a test compares them. -->

What happens between an agent's text and what it reads? This page follows one step through the rooms of the house. The
stations are real: a profiler watched the step

```python
env = gym.make("aiops_gym/Detection-v0", problem="{problem}")
env.reset(seed={seed})
env.step('Look first.\\n```\\nexec_shell("kubectl get pods -n test-hotel-reservation")\\n```')
```

and noted where it came by, the line from which each station was called, and the values. The whole step enters
{functions} functions in {files} files of this package; the {stations} stations tell where it is decided what comes
next. To see another step, change the action in `docs/making/tracing.py`.
"""

FOOT = """\
## And back

The layout is what the command wrote; the sandbox puts it in the order of the two streams and adds the exit code, where
it is not 0; the tool makes a `Result` of it. The observation begins

```
{observation}
```

Meanwhile the world ran on for {seconds:.1f} seconds of its own clock: controllers acted, containers ended and started,
users asked. What they asked for is computed when somebody looks ([rooms and flow](../architecture.md)).
"""


@dataclass
class Visit:
    """A station as it was entered first."""

    caller: str
    line: str
    given: Mapping[str, Any]
    gives: Any = None


class Watch:
    """Follows a step: which functions of the package are entered, in order, and what stations get and give."""

    def __init__(self, stations: Sequence[str]) -> None:
        self.stations = stations
        self.visits: dict[str, Visit] = {}
        self.entered: set[tuple[str, str]] = set()
        self._open: dict[FrameType, str] = {}

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        """What `sys.setprofile` calls."""
        name = frame.f_globals.get("__name__", "")
        if not name.startswith("aiops_gym.") or event not in ("call", "return"):
            return
        if event == "return":
            station = self._open.pop(frame, "")
            if station:
                self.visits[station].gives = arg
            return
        file, function = frame.f_code.co_filename, frame.f_code.co_qualname
        if "<" not in file + function.rpartition(".")[2]:  # what Python makes by itself differs by its version
            self.entered.add((file, function))
        station = f"{name.removeprefix('aiops_gym.')}:{frame.f_code.co_qualname}"
        if station in self.stations and station not in self.visits:
            self.visits[station] = Visit(*_caller(frame.f_back), dict(frame.f_locals))
            self._open[frame] = station


def _caller(frame: FrameType | None) -> tuple[str, str]:
    """Who called, and the line; nobody outside of the package."""
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("aiops_gym."):
        frame = frame.f_back
    if frame is None:
        return "", ""
    where = Path(frame.f_code.co_filename).relative_to(PACKAGE).as_posix()
    return where, linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()


def stations() -> Sequence[Mapping[str, str]]:
    """The stations in order."""
    found: Sequence[Mapping[str, str]] = yaml.safe_load((HERE / "stations.yaml").read_text(encoding="utf-8"))
    return found


def watched() -> tuple[Watch, str, float]:
    """A step that was watched, what it printed, and the seconds that passed in the cluster."""
    env = gym.make("aiops_gym/Detection-v0", problem=PROBLEM, disable_env_checker=True)
    env.reset(seed=SEED)
    env.unwrapped.fork()[0].step(ACTION.replace("pods", "services"))  # loads what is loaded once
    watch = Watch([each["at"] for each in stations()])
    sys.setprofile(watch)
    try:
        observation, _, _, _, info = env.step(ACTION)
    finally:
        sys.setprofile(None)
    return watch, observation, info["time"]


def page() -> str:
    """The page as it should be.

    Raises:
        ValueError: a station is not passed, or in another order.
    """
    watch, observation, seconds = watched()
    listed = [each["at"] for each in stations()]
    if list(watch.visits) != listed:
        raise ValueError(f"the step passes {list(watch.visits)}, and stations.yaml says {listed}")
    files = len({file for file, _ in watch.entered})
    counts = {"functions": _tens(len(watch.entered)), "files": _tens(files), "stations": len(listed)}
    head = HEAD.format(problem=PROBLEM, seed=SEED, **counts)
    parts = [_section(number, each, watch.visits[each["at"]]) for number, each in enumerate(stations(), 1)]
    first = "\n".join(observation.splitlines()[:4])
    return "\n".join([head, *parts, FOOT.format(observation=first, seconds=seconds)])


def _tens(count: int) -> str:
    """About how many, so that a small change elsewhere is none of this page."""
    return f"about {round(count, -1)}"


def _section(number: int, station: Mapping[str, str], visit: Visit) -> str:
    module, _, function = station["at"].partition(":")
    path = f"{module.replace('.', '/')}.py"
    if not (PACKAGE / path).exists():
        path = f"{module.replace('.', '/')}/__init__.py"
    parts = [f"## {number}. `{function}` in `{path}`\n", f"{textwrap.fill(station['text'], WIDTH)}\n"]
    if visit.caller:
        parts += [f"Called in `{visit.caller}`:\n", f"```text\n{visit.line}\n```\n"]
    parts += _shown(station, visit)
    return "\n".join(parts)


def _shown(station: Mapping[str, str], visit: Visit) -> Iterator[str]:
    if "given" in station:
        name, _, rest = station["given"].partition(".")
        yield f"It gets `{station['given']}`:\n\n```text\n{_text(_part(visit.given[name], rest))}\n```\n"
    if "gives" in station:
        told = f"Of what it gives, `{station['gives']}`" if station["gives"] else "It gives"
        yield f"{told}:\n\n```text\n{_text(_part(visit.gives, station['gives']))}\n```\n"


def _part(value: Any, path: str) -> Any:
    for step in filter(None, path.split(".")):
        if step.isdecimal():
            value = value[int(step)]
        else:
            value = value[step] if isinstance(value, Mapping) else getattr(value, step)
    return value


def _text(value: Any) -> str:
    text = (value if isinstance(value, str) else repr(value)).replace("```", "'''")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
