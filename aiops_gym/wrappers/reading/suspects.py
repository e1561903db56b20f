"""What the tables of a recorded incident speak for: suspects, and what bears them out.

It reads with the agents `rules` and `tracer`: which measurements tell which reason, and whose calls say so too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from aiops_gym.agents.rules import systems
from aiops_gym.agents.rules.indicators import Evidence
from aiops_gym.agents.rules.player import CALLS, OPERATIONS, Reader, make_submission, plan_questions
from aiops_gym.agents.rules.question import parse_table, read
from aiops_gym.agents.rules.verdict import Suspect, answer, rank_suspects
from aiops_gym.agents.tracer.player import LOOK, NEAR, OWN, Moment, borne, read_moments, read_placement, share
from aiops_gym.errors import CatalogError
from aiops_gym.openrca import clock
from aiops_gym.types import Call

REASONS = 15
"""That a domain has at most."""

Key = tuple[str, str, int]


class Look(NamedTuple):
    """One question about the whole window.

    Attributes:
        by: how spans are grouped, where calls are asked about; "" for what a reader of the rules reads.
        columns: that its table must have.
    """

    text: str
    by: str = ""
    columns: tuple[str, ...] = ()
    reader: Reader | None = None


class Named(NamedTuple):
    """A suspect, and how much of it calls bear out."""

    suspect: Suspect
    borne: float

    @property
    def key(self) -> Key:
        """What stays the same when more is known of it."""
        return self.suspect.component, self.suspect.reason, self.suspect.time // NEAR


class Case:
    """What was read of one incident.

    Args:
        prompt: of the episode.

    Raises:
        CatalogError: it is none of a recorded incident that the rules know of.
    """

    def __init__(self, prompt: str) -> None:
        try:
            self.question = read(prompt)
        except KeyError:
            raise CatalogError("these actions are for recorded incidents only, such as OpenRCABank-v0") from None
        knowledge = systems.find(self.question.reasons)
        if knowledge is None:
            raise CatalogError("nothing is known of this system's measurements")
        self.knowledge, self.failures, self.asked = knowledge, self.question.failures, self.question.asked
        self.looks = self._plan(prompt)
        self.felt: Mapping[str, tuple[str, ...]] = {**knowledge.members, **knowledge.felt}
        self.taken: set[int] = set()
        self.callers: set[str] = set()
        self.closely: set[Key] = set()
        self.picked: dict[Key, Suspect] = {}
        self._evidence: list[Evidence] = []
        self._moments: list[Moment] = []
        self._named: list[Named] | None = None

    def named(self) -> list[Named]:
        """All suspects, what is best borne out first."""
        if self._named is None:
            found = [Named(each, borne(each, self._moments, self.felt).score) for each in self._ranked()]
            self._named = sorted(found, key=lambda each: (-each.borne, each.suspect.time, *each.suspect[:2]))
        return self._named

    def close(self, named: Named) -> str:
        """A close look at a suspect's own calls; at those of all for one that was not seen to make any."""
        component, time = named.suspect.component, named.suspect.time
        around = (clock.show((time - LOOK) * 1000), clock.show((time + 2 * LOOK) * 1000))
        of = {"component": component} if component in self.callers else {}
        return str(Call("slowest_spans", around, {"by": "own", **of}))

    def submission(self, named: Sequence[Named]) -> str:
        """The answer of those that were picked before, and these."""
        chosen = sorted([*self.picked.values(), *(each.suspect for each in named)], key=lambda each: each.time)
        return str(make_submission(answer(chosen, self.question, self.knowledge)))

    def read_look(self, number: int, text: str) -> None:
        """Take in what a look printed."""
        look = self.looks[number]
        self.taken.add(number)
        if look.reader is not None:
            found = look.reader(parse_table(text, look.columns))
            self._evidence += [each for each in found if each.source != "calls"]
        elif look.by:
            rows = parse_table(text, look.columns)
            self._moments += read_moments(rows, look.by)
            self.callers |= {row["component"] for row in rows if look.by == "own"}
        else:
            self.felt = {**self.felt, **read_placement(text)}
        self._named = None

    def read_close(self, named: Named, text: str, picked: bool) -> None:
        """Take in what a close look printed, and whether the suspect was picked with it."""
        self._moments += read_moments(parse_table(text, OWN), "look")
        self.closely.add(named.key)
        if picked:
            self.picked[named.key] = named.suspect
        self._named = None

    def describe(self, named: Named, among: Sequence[Named]) -> dict[str, float]:
        """Numbers about a suspect, by name."""
        suspect, names = named.suspect, self.felt.get(named.suspect.component, (named.suspect.component,))
        by = {
            kind: share(names, [each for each in self._moments if each.by == kind], suspect.time)
            for kind in ("own", "look", "call", "operation")
        }
        best = max((each.suspect.score for each in among), default=1.0)
        window = max(1, self.question.end - self.question.start)
        near = sum(abs(each.suspect.time - suspect.time) <= NEAR for each in among) - 1
        return {
            **by,
            "there": 1.0,
            "score": suspect.score / 5,
            "share": suspect.score / max(best, 1e-9),
            "borne": named.borne / 5,
            "looked": float(named.key in self.closely),
            "several": float(len(names) > 1),
            "moment": (suspect.time - self.question.start) / window,
            "together": near / max(1, len(among)),
            "picked": float(named.key in self.picked),
            f"reason {self.question.reasons.index(suspect.reason)}": 1.0,
        }

    def _ranked(self) -> list[Suspect]:
        return rank_suspects(self._evidence, self.knowledge)

    def _plan(self, prompt: str) -> list[Look]:
        question = self.question
        window = (clock.show(question.start * 1000), clock.show(question.end * 1000))
        made = []
        for name, arguments, columns, reader in plan_questions(question, self.knowledge):
            made.append(Look(str(Call(name, window, arguments)), columns=columns, reader=reader))
        spans: dict[str, Any] = {"own": OWN, "call": CALLS, "operation": OPERATIONS}
        for by, columns in spans.items():
            if f'"{by}"' not in prompt:  # as the tool's manual has it: not every system records operations
                continue
            made.append(Look(str(Call("slowest_spans", window, {"by": by})), by=by, columns=columns))
        if any(each.startswith("node-") for each in question.components):
            made.append(Look(str(Call("list_components", (), {"contains": "node-"}))))
        return made
