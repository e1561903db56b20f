"""An incident in a simulated cluster: marries the catalogue with the simulation, and gives the agent a shell."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import orjson

from aiops_gym.backends import causal, container_noise, leftovers, noise, paging, releases, shadows, upkeep, warmup
from aiops_gym.backends.assess import assess, count_error_minutes
from aiops_gym.backends.base import Assessment, Harm, Path
from aiops_gym.backends.baseline import VARIANTS
from aiops_gym.backends.cluster import SimulatedCluster
from aiops_gym.backends.harmed import measure_harm
from aiops_gym.backends.health import Measure, health
from aiops_gym.backends.inject import find_rewritten, find_spared, inject
from aiops_gym.backends.intent.compare import find_hurt
from aiops_gym.backends.node_network import NodeNetwork
from aiops_gym.backends.servers import ask_server
from aiops_gym.backends.signals import read_signals
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import INCIDENT, Fault, Problem
from aiops_gym.errors import SnapshotError
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.telemetry import metrics, traces
from aiops_gym.types import Sample, Span
from aiops_gym.version import __version__

FORMAT = 5
"""Version of the snapshot's layout; a change of it refuses older bytes."""

MAGIC = b"aiops_gym snapshot\n"

GAP = (20 * SECOND, 90 * SECOND)
"""Between two faults of an incident, in ms: at least and at most."""


class Simulated:
    """A running incident in a simulated cluster; see `backends.base.Backend`.

    Args:
        problem: what is wrong.
        seed: of the episode.
        noise: whether harmless things happen as well.
        shift: milliseconds by which all of it lies later; a cluster that people work on lives now.
    """

    def __init__(self, problem: Problem, seed: int, *, noise: bool = True, shift: int = 0) -> None:
        self.problem, self.seed, self.noise, self.shift = problem, seed, noise, shift
        self.app = registry.find_app(problem.app)
        self.variant = draws.pick(VARIANTS, seed, "variant")
        self._measure: Measure | None = None
        self._before: World | None = None
        self._found: World | None = None
        self.world = self.before_the_incident().fork(seed)
        self.fault = self._find_fault()
        if self.fault is not None:
            self._break()
        elif self.noise and self._is_paged:
            paging.pass_trouble(self.world, self.before_the_incident(), self.app, self.seed)
        if self.noise and registry.is_lived_in(problem):
            self._unfold_among_shadows()
        else:
            self._unfold()
        self.page = paging.await_page(self.world, self.before_the_incident(), self.app, seed) if self._is_paged else {}
        leftovers.note_new(self.world, self.before_the_incident(), find_hurt(self.app, self.fault))
        upkeep.note_edits(self.world, self.before_the_incident(), self.app)
        self.world.settle()
        self._found = self.world.fork()
        self.began = self.world.now / 1000
        self._open_shell()

    @property
    def _is_paged(self) -> bool:
        return self.problem.task == INCIDENT

    def _break(self, *, harmless: bool = False) -> None:
        """What is wrong befalls; of several faults one after another, with what goes on between them.

        Args:
            harmless: as much time passes, and nothing befalls.
        """
        assert self.fault is not None
        concerned = find_spared(self.app, self.fault)
        for number, part in enumerate(self.fault.each):
            if number:
                self._wait_for_next(number, concerned)
            if harmless:
                self.world.run(3 * SECOND * len(part.changes))
            else:
                inject(self.world, self.app, part if self.fault.parts else self.fault)

    def _wait_for_next(self, number: int, concerned: frozenset[str]) -> None:
        gap = int(draws.between(*GAP, self.seed, "gap", "", number))
        if self.noise:
            noise.unfold(self.world, self.app, draws.bits(self.seed, "gap", "", number), concerned, gap)
        else:
            self.world.run(gap)

    def _unfold(self) -> None:
        """Time until the agent looks: as long in a healthy episode, and with as much going on."""
        longest = 60 + 90 * draws.draw(self.seed, "wait")
        wait = round(1000 * (self.fault.wait if self.fault else longest) * (0.8 + 0.4 * draws.draw(self.seed, "look")))
        spared = find_spared(self.app, self.fault) if self.fault else noise.NOBODY
        if self.noise and len(spared) < len(self.app.components):
            noise.wait_amid_noise(self.world, self.app, self.seed, spared, wait)
        elif self.noise:
            container_noise.wait_amid(self.world, self.app, self.seed, wait)
        else:
            self.world.run(wait)

    def _unfold_among_shadows(self) -> None:
        """The same where as much happens all the time as in an incident; where nothing is wrong, one in its place."""
        like = self.fault or shadows.draw_shadow(self.world, self.app, self.seed)
        if self.fault is None:
            self._cast(like)
        wait = round(1000 * like.wait * (0.8 + 0.4 * draws.draw(self.seed, "look")))
        noise.unfold(self.world, self.app, self.seed, find_spared(self.app, like), wait)

    def _cast(self, like: Fault) -> None:
        """The shadow of an incident, of its parts one after another."""
        for number, part in enumerate(like.each):
            if number:
                self._wait_for_next(number, find_spared(self.app, like))
            seed = draws.bits(self.seed, "further shadow", "", number) if number else self.seed
            shadows.cast(self.world, self.app, part if like.parts else like, seed)

    def _open_shell(self) -> None:
        self.cluster = SimulatedCluster(self.world)
        self.telemetry = SimulatedTelemetry(self.world)
        self.shell = Sandbox(
            self.cluster,
            self.seed,
            releases.list_commands(self.app),
            network=NodeNetwork(self.world),
            files=releases.collect_chart_files(self.app),
        )

    def before_the_incident(self) -> World:
        """The healthy world, noise included, at the moment before the fault. Others share it: never change it.

        It stays the very one that this began with, even where a cache makes it anew: differences compare identities.
        """
        if self._before is None:
            self._before = self._warmed_up()
        return self._before

    def as_found(self) -> World:
        """The world at the moment at which the agent first looked. Never change it."""
        if self._found is None:
            self._found = Simulated(self.problem, self.seed, noise=self.noise, shift=self.shift).world
        return self._found

    def _warmed_up(self) -> World:
        if not self.noise:
            usual = (self.app.id, self.variant, self.problem.rate, self.shift)
            return warmup.run_undisturbed(*usual, furnished=self._is_furnished)
        if registry.is_lived_in(self.problem):
            return self._lived_in()
        fault = registry.find_fault(self.problem)
        spared = find_rewritten(self.app, fault) if fault else noise.NOBODY
        number = warmup.choose_warmup(self.app, self.variant, self.seed, spared, self.shift)
        return warmup.make_warmed_up(self.app.id, self.variant, number, self.shift)

    def _lived_in(self) -> World:
        number = warmup.choose_lived_in(self.app, self.variant, self.seed, self.problem)
        return warmup.make_lived_in(self.app.id, self.variant, number, self.shift, furnished=self._is_furnished)

    @property
    def _is_furnished(self) -> bool:
        """Whether a platform runs beside the app, in which the causes of hard incidents may lie."""
        return self.problem.tier == "hard"

    def _find_fault(self) -> Fault | None:
        """The fault as it befalls this world, and the repairs that put back what is there now."""
        return shadows.find_live_fault(self.before_the_incident(), self.app, self.problem, self._naming)

    @property
    def _naming(self) -> int | None:
        """The seed that draws the names of what the fault makes; None where they are always the same."""
        return self.seed if self.noise and registry.is_lived_in(self.problem) else None

    def names(self) -> dict[str, str]:
        """What the `{names}` of the fault stand for in this world."""
        live = shadows.list_live(self.before_the_incident(), self.app, self.problem)
        return registry.find_names(self.problem, live, self._naming)

    def now(self) -> float:
        """Unix seconds on the world's clock."""
        return self.world.now / 1000

    def spend(self, seconds: float) -> None:
        """Let time pass."""
        self.world.run(round(seconds * 1000))

    def assess(self, *, thorough: bool = True) -> Assessment:
        """Measure what became of the system, on a fork of it.

        Where a page was sent and nothing is wrong, what somebody mended before it is nobody's doing.

        Args:
            thorough: measure all of it; else only as much as `success` needs.
        """
        found = self.as_found()
        before = found if self._is_paged and self.fault is None else self.before_the_incident()
        return assess(self.world, before, found, self.app, self.fault, thorough)

    def trace(self, causes: Collection[str]) -> Path:
        """The way from causes to users, measured as the incident was found. Changes nothing."""
        return causal.trace(self.before_the_incident(), self.as_found(), self.app, self._measured(), causes)

    def count_harm(self) -> Harm:
        """What users went through since the page, and what they would have. Changes nothing."""
        return Harm(self.count_minutes(), count_error_minutes(self._idle(), round(self.began * 1000)))

    def harm(self) -> dict[str, float]:
        """What was done to users and to the system since the agent first looked; see `harmed`. Changes nothing."""
        since = round(self.began * 1000)
        return measure_harm(self.world.fork(), self._idle(), self.before_the_incident(), self.app, self.fault, since)

    def _idle(self) -> World:
        """The world as it would be now had nobody done anything."""
        idle = self.as_found().fork()
        idle.run_until(self.world.now)
        return idle

    def count_minutes(self) -> float:
        """Minutes of failing requests since the page. Changes nothing."""
        return count_error_minutes(self.world, round(self.began * 1000))

    def calls(self) -> list[list[str]]:
        """Who calls whom, "" for users, before anything went wrong."""
        return [list(edge) for edge in self._measured().edges]

    def health(self) -> dict[str, Any]:
        """How each component does now, for whoever watches; see `backends.health.health`. Changes nothing."""
        return health(self.world, self.app, self._measured())

    def signals(self) -> dict[str, Any]:
        """What telemetry says of the incident until now, for whoever watches; see `backends.signals.read_signals`."""
        return read_signals(self.world, self.app, self.began)

    def _measured(self) -> Measure:
        if self._measure is None:
            self._measure = warmup.measure_after(self.before_the_incident(), self.app)
        return self._measure

    def pods(self) -> Sequence[Mapping[str, Any]]:
        """The app's pods as they are now, without those that noise made."""
        found = self.world.store.all("pods", self.app.namespace)
        return [pod for pod in found if not leftovers.is_noise(self.world, pod)]

    def calm(self) -> Simulated:
        """A fork in which what noise stirred up has passed."""
        twin = self.fork()
        twin.world.run_until(max(twin.world.now, leftovers.calm_at(twin.world)))
        return twin

    def without_fault(self) -> Simulated:
        """The same episode at the moment at which it was found, had nothing gone wrong. Changes nothing here."""
        twin = self.fork()
        twin.world = self.before_the_incident().fork(self.seed)
        if self.fault is not None:
            twin._break(harmless=True)
        if self.noise and registry.is_lived_in(self.problem):
            twin._unfold_among_shadows()
        else:
            twin._unfold()
        twin.world.run_until(max(twin.world.now, round(self.began * 1000)))
        twin.fault = None
        twin._open_shell()
        return twin

    def snapshot(self) -> bytes:
        """All of the incident as bytes: data, no code."""
        head = {
            "format": FORMAT,
            "version": __version__,
            "problem": self.problem.id,
            "seed": self.seed,
            "noise": self.noise,
            "shift": self.shift,
            "began": self.began,
            "page": self.page,
        }
        body = {**head, "world": self.world.difference(self.before_the_incident())}
        shell = self.shell.snapshot()
        return MAGIC + zlib.compress(len(shell).to_bytes(8, "big") + shell + orjson.dumps(body), 1)

    @classmethod
    def restored(cls, data: bytes) -> Simulated:
        """The incident that a snapshot holds, in this or another process. Raises SnapshotError."""
        shell, body = _unpacked(data)
        self = cls.__new__(cls)
        self.problem = registry.find_problem(body["problem"])
        self.seed, self.noise, self.began, self.shift = body["seed"], body["noise"], body["began"], body["shift"]
        self.page = body["page"]
        self.app = registry.find_app(self.problem.app)
        self.variant = draws.pick(VARIANTS, self.seed, "variant")
        self._measure = self._before = self._found = None
        self.fault = self._find_fault()
        self.world = self.before_the_incident().fork(self.seed)
        self.world.become(body["world"])
        self._open_shell()
        self.shell.restore(shell)
        return self

    def fork(self) -> Simulated:
        """An incident that goes on from here by itself."""
        twin = Simulated.__new__(Simulated)
        twin.__dict__.update(self.__dict__)
        self.world.settle()
        twin.world = self.world.fork()
        twin.cluster, twin.telemetry = SimulatedCluster(twin.world), SimulatedTelemetry(twin.world)
        twin.shell = self.shell.fork(twin.cluster, NodeNetwork(twin.world))
        return twin


def _unpacked(data: bytes) -> tuple[bytes, dict[str, Any]]:
    if not isinstance(data, bytes) or not data.startswith(MAGIC):
        raise SnapshotError("these bytes are no snapshot of aiops_gym")
    try:
        raw = zlib.decompress(data[len(MAGIC) :])
        size = int.from_bytes(raw[:8], "big")
        shell, body = raw[8 : 8 + size], orjson.loads(raw[8 + size :])
    except (zlib.error, orjson.JSONDecodeError) as error:
        raise SnapshotError(f"this snapshot is damaged: {error}") from error
    if body.get("format") != FORMAT or body.get("version") != __version__:
        raise SnapshotError(
            f"this snapshot is of aiops_gym {body.get('version')}, format {body.get('format')}; "
            f"this is {__version__}, format {FORMAT}"
        )
    return shell, body


class SimulatedTelemetry:
    """What the world records of itself; see `types.Telemetry`."""

    def __init__(self, world: World) -> None:
        self.world = world

    def metric_names(self) -> Sequence[str]:
        """Names of the metrics."""
        return metrics.NAMES

    def metrics(self, name: str, namespace: str, start: float, end: float) -> Sequence[Sample]:
        """One metric of a namespace's pods."""
        return metrics.query_range(self.world, name, namespace, round(start * 1000), round(end * 1000))

    def services(self) -> Sequence[str]:
        """Services that sent spans."""
        return traces.list_services(self.world)

    def traces(self, service: str, start: float, end: float, limit: int) -> tuple[Sequence[Span], int]:
        """The newest traces through a service."""
        return traces.find_traces(self.world, service, round(start * 1000), round(end * 1000), limit)

    def ask(self, server: str, path: str) -> tuple[int, str]:
        """What Prometheus or Jaeger answers."""
        found = ask_server(self.world, server, "GET", path)
        return found.status, found.body
