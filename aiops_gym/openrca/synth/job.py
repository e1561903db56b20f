"""One domain folder: labels, days and files, made aside and put in place when all is there."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import labels, layout, origin, queries
from aiops_gym.openrca.causes import write_causes
from aiops_gym.openrca.labels import Query, Record
from aiops_gym.openrca.model import Domain
from aiops_gym.openrca.profiles import EASY, HARD
from aiops_gym.openrca.synth import files, plan
from aiops_gym.openrca.synth.causes import trace_graph
from aiops_gym.openrca.synth.hard import draw_decoys, harden
from aiops_gym.openrca.synth.model import Day, Failure, World
from aiops_gym.scan import scan_one
from aiops_gym.version import __version__

Progress = Callable[[int, int, str], None]

MOST_DAYS = 3_650

STRAY = b"\x00\x00\x00\x01Bud1"
"""What a file manager left between the original's folders; readers must not trip over it."""


class Job:
    """A domain (or one cloudbed of it) to be written.

    Attributes:
        given: folder whose record.csv is played; None draws the failures.

    Args:
        profile: `easy` or `hard`, see `hard`.
    """

    def __init__(
        self,
        domain: Domain,
        cloudbed: str,
        *,
        days: int,
        scale: float,
        seed: int,
        given: Path | None = None,
        profile: str = EASY,
    ) -> None:
        self.domain, self.cloudbed, self.scale, self.seed, self.given = domain, cloudbed, scale, seed, given
        self.hard = profile == HARD
        self.world = harden(world(domain, cloudbed)) if self.hard else world(domain, cloudbed)
        self.records = self._given() if given else plan.draw(domain, cloudbed, self.world, _dates(domain, days), seed)
        self.dates = plan.list_days(self.records) if given else _dates(domain, days)

    @property
    def files(self) -> int:
        """How many files it writes, beside those of the labels."""
        return len(self.dates) * len(self.domain.tables)

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """How its failures go, in the order of the records."""
        return plan.plan_failures(self.domain, self.cloudbed, self.world, self.records, self.seed)

    @cached_property
    def decoys(self) -> tuple[Failure, ...]:
        """What shows beside them and is none; nothing on the profile `easy`."""
        return draw_decoys(self.domain, self.cloudbed, self.world, self.failures, self.seed) if self.hard else ()

    def day(self, when: date) -> Day:
        """What is to be told of a day."""
        blank = Day(
            domain=self.domain,
            cloudbed=self.cloudbed,
            world=self.world,
            date=when,
            seed=self.seed,
            scale=self.scale,
            hard=self.hard,
        )
        return blank.failing(plan.find_touching((*self.failures, *self.decoys), blank.start, blank.end))

    def check(self, out: Path) -> None:
        """Raises CatalogError where something is there already: nothing is ever written over."""
        target = out / self.domain.folders[self.cloudbed]
        if target.exists():
            raise CatalogError(f"{target} is there already; remove it or choose another folder")

    def write(self, out: Path, progress: Progress | None = None, done: int = 0, total: int = 0) -> None:
        """Write the folder below `out`. A broken attempt leaves nothing under its name."""
        target = out / self.domain.folders[self.cloudbed]
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            self._telemetry(aside, progress, done, total)
            labels.write_records(aside, self.domain, self.records)
            labels.write_queries(aside, self._queries())
            write_causes(aside, [trace_graph(self.world, each) for each in self.failures])
            origin.mark(aside, self._how())
            aside.chmod(0o755)
            os.rename(aside, target)
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def _telemetry(self, folder: Path, progress: Progress | None, done: int, total: int) -> None:
        for when in self.dates:
            day = self.day(when)
            for table in self.domain.tables:
                path = layout.table_file(folder, when, table)
                if progress:
                    progress(done, total, "/".join(path.parts[-3:]))
                files.write(path, table, self.world.makers[table.path](day))
                done += 1
            origin.mark(path.parents[1], self._how())
        for place in (folder / "telemetry", layout.table_file(folder, self.dates[0], self.domain.tables[0]).parents[1]):
            (place / ".DS_Store").write_bytes(STRAY)
        if progress:
            progress(done, total, "")

    def _how(self) -> dict[str, Any]:
        """What a reader of the files wants to know of their making."""
        failures = "drawn" if self.given is None else f"those of a {labels.RECORDS}"
        made = {"made_by": f"aiops_gym {__version__}", "system": self.domain.prefix(self.cloudbed)}
        how = {**made, "failures": failures, "days": len(self.dates), "scale": self.scale, "seed": self.seed}
        return {**how, "profile": HARD} if self.hard else how

    def _queries(self) -> Sequence[Query]:
        if self.given and (self.given / labels.QUERIES).is_file():
            found = labels.read_queries(self.given)
            if len(found) == len(self.records):
                return found
        return queries.make_queries(self.domain, self.cloudbed, self.records, self.seed)

    def _given(self) -> tuple[Record, ...]:
        assert self.given
        found = labels.read_records(self.given)
        for line, each in enumerate(found, start=2):
            if each.reason not in self.world.reasons or each.component not in self.domain.components:
                raise CatalogError(
                    f"{self.given / labels.RECORDS}, line {line}: {each.component!r} with {each.reason!r} is no root "
                    f"cause of {self.domain.title}"
                )
        if not found:
            raise CatalogError(f"{self.given / labels.RECORDS} has no failures")
        return found


def world(domain: Domain, cloudbed: str) -> World:
    """The description of a domain."""
    made: World = scan_one("aiops_gym.openrca.synth", domain.name, "world")(cloudbed)
    return made


def given_folder(records: Path | None, cloudbed: str, beds: int) -> Path | None:
    """The folder whose record.csv is meant.

    Raises:
        CatalogError: there is none.
    """
    if records is None:
        return None
    path = Path(records)
    if path.is_file() and path.name != labels.RECORDS:
        raise CatalogError(f"{path}: the file must be called {labels.RECORDS}, as in the original's folders")
    folder = path.parent if path.name == labels.RECORDS else path
    if beds > 1:
        folder = folder / cloudbed
    if not (folder / labels.RECORDS).is_file():
        hint = f"; name one, such as --domain market/{cloudbed}, to play a single file" if beds > 1 else ""
        raise CatalogError(f"{folder / labels.RECORDS} is not there{hint}")
    return folder


def _dates(domain: Domain, days: int) -> tuple[date, ...]:
    """The first days of the original; after its last, those that follow."""
    if days > MOST_DAYS:
        raise CatalogError(f"{days} days are too many; at most {MOST_DAYS:,} are made")
    known = [date.fromisoformat(each) for each in domain.days[:days]]
    return (*known, *(known[-1] + timedelta(days=each + 1) for each in range(days - len(known))))
