"""What the catalogue is written in: apps, faults and problems as plain data.

Nothing here knows how it is run; `backends/` turns it into a world or into requests to a real cluster, and answers what
the checks of faults ask of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from aiops_gym.catalog.system import System
from aiops_gym.types import Json

Manifest = Mapping[str, Json]

TASKS = ("detection", "localization", "analysis", "mitigation")
"""What can be asked about a live incident, in the order in which a person would."""

INCIDENT = "incident"
"""All of it in one episode, from the page to the report."""

POSED = (*TASKS, INCIDENT)
"""What a live incident can be posed as."""

FEATURES = ("quiet", "moving", "recurring", "blocked")
"""What makes a single fault hard: nothing fails or restarts; what is left feeds itself or grows when its trigger has
passed; what was repaired comes back; the obvious repair is refused."""

TIERS = ("basic", "standard", "hard")
"""How hard an incident is, see `catalog.tiers`."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """A Helm release by which objects of an app come into the cluster.

    Attributes:
        name: of the release.
        folder: of its chart in the home of whoever runs the cluster.
        files: of the chart, by path in its folder.
    """

    name: str
    folder: str
    files: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class App:
    """One application: what is deployed, what it is asked for, and what an agent is told of it.

    Attributes:
        id: short name, `hotel_reservation`.
        title: as in the prompt, `Hotel Reservation`.
        namespace: where it lives.
        description: one paragraph for the prompt.
        supported: operations that users have, for the prompt.
        selector: label key whose value is the component's name, `io.kompose.service`.
        components: names of the deployments, sorted: the possible answers of Localization.
        manifests: objects in the order in which they are applied.
        images: by the name in manifests; fields of `sim.kernel.blueprint.Image` as data.
        operations: fields of `sim.kernel.blueprint.Operation` as data.
        rate: requests per second of the usual workload.
        parameters: component -> what a fault may need to know of it, filled into the fault's `{names}`; `alias` names a
            component that counts as the same answer, `restart` says that a restart of it is not harmless, `stateless`
            that it keeps nothing, where its command does not tell.
        releases: what installs those manifests that bear Helm's mark, `app.kubernetes.io/managed-by: Helm`.
        requests: what a client sends along that asks for an operation, by its name, as a query, perhaps with an object
            of JSON behind it; what the path has in braces comes of the query. Of operations that are missing nobody can
            say here whether they succeed.
        labels: component -> what its pods have under `selector` where that is not its name.
        project: the Compose project that it is, where it runs in Docker beside the cluster.
        files: pairs of path and text, on the host of whoever runs it.
    """

    id: str
    title: str
    namespace: str
    description: str
    supported: tuple[str, ...]
    selector: str
    components: tuple[str, ...]
    manifests: tuple[Manifest, ...]
    images: Mapping[str, Json]
    operations: tuple[Mapping[str, Json], ...]
    rate: float
    parameters: Mapping[str, Mapping[str, str]]
    releases: tuple[Release, ...] = ()
    requests: Mapping[str, str] = field(default_factory=dict)
    project: Mapping[str, Json] | None = None
    files: tuple[tuple[str, str], ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)

    def select(self, component: str) -> dict[str, str]:
        """The label by which the pods of a component are found."""
        return {self.selector: self.labels.get(component, component)}

    def find_owner(self, labels: Mapping[str, str]) -> str:
        """The component whose pods have these labels, "" for none."""
        named = labels.get(self.selector, "")
        return next((name for name, label in self.labels.items() if label == named), named)


@dataclass(frozen=True, kw_only=True)
class Patch:
    """A JSON patch (RFC 6902) on one object of the app.

    Attributes:
        resource: `deployments.apps`; what lies in no namespace is the cluster's, and then all components are concerned.
        name: of the object; `{target}` is filled in. Nothing is patched where it is "".
        ops: operations, as in the RFC.
        recreate: delete the object and create the patched one, so that no older revision is left.
        namespace: of the object, "" for the app's; of what lies in another one all components are concerned, too.
        component: that it is about, "" where that is the object of this name.
    """

    resource: str
    name: str
    ops: tuple[Mapping[str, Json], ...]
    recreate: bool = False
    namespace: str = ""
    component: str = ""


@dataclass(frozen=True, kw_only=True)
class Script:
    """What somebody types who changes a part of something: the rest stays as people have it there.

    Attributes:
        script: for the shell of whoever runs the cluster.
        component: that it is about, "" where it is about all of them.
        writes: objects that it writes: (resource, name), `namespace/name` where that is not the app's.
    """

    script: str
    writes: tuple[tuple[str, str], ...]
    component: str = ""


@dataclass(frozen=True, kw_only=True)
class Exec:
    """A command run inside the first pod of a component."""

    component: str
    command: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Restart:
    """Delete the pods of components, so that they start anew."""

    components: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Effect:
    """Something done to a component's pods from outside Kubernetes, unseen in the API; lasts for the whole episode.

    Attributes:
        kind: `container_kill`, `pod_failure`, `network_loss`, `network_delay`; `system_call`, one that fails for its
            processes, see `sim.machine.system_calls`; `warmth`: from now on it counts how much
            of what is asked for is in this cache, see `sim.traffic.strain`; `burst`, `tide`: users ask more for some
            time, or follow the hour, see `sim.traffic.load`; `state`: what the programs of a workload beside the app,
            `name` in `namespace`, have come to keep, see their own files.
        params: what the kind needs, JSON data; with `seconds` it is over after so many.
    """

    kind: str
    component: str
    params: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """An effect that comes and goes for as long as the episode lasts.

    Schedules inside the cluster need no word of their own: a CronJob, a controller that applies something again and a
    program that leaks or fills a volume are patched like anything else.

    Attributes:
        effect: what happens.
        every: seconds from one beginning to the next, more or less.
        lasts: seconds of them in which it holds.
    """

    effect: Effect
    every: float
    lasts: float


@dataclass(frozen=True, kw_only=True)
class Create:
    """A new object in the app's namespace.

    Attributes:
        manifest: the object, without its namespace.
        component: that it is about, "" where it is about all of them.
    """

    manifest: Manifest
    component: str = "{target}"


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """Roll deployments out anew with the template that they have, as `kubectl rollout restart` does."""

    components: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Upgrade:
    """A Helm release gets a new revision with further settings.

    Attributes:
        release: its name.
        settings: as `--set` takes them.
        component: that it is about.
    """

    release: str
    settings: tuple[str, ...]
    component: str = "{target}"


@dataclass(frozen=True, kw_only=True)
class Redeploy:
    """Delete the app's namespace and apply its manifests again."""


Change = Patch | Script | Exec | Restart | Effect | Schedule | Create | Rollout | Upgrade | Redeploy


Check = Callable[[System, System, "Cause"], str]
"""(the system before, the system now, the cause) -> what is still wrong, "" if nothing is."""


@dataclass(frozen=True, kw_only=True)
class Cause:
    """What must be so again for a fault to be gone, however it was mended.

    Attributes:
        check: a function of the fault's own file, or one of `catalog.checks` that several share.
        component: that the check and a repair are about, "" where they are about no single one.
        service: a client of it that a repair may have to start anew.
        detail: what else the check has to know: the name of a host, another component, a database.
        upstream: what AIOpsLab looks at besides the pods, see `tasks/mitigation.py`.
    """

    check: Check
    component: str = "{target}"
    service: str = ""
    detail: str = ""
    upstream: str = ""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What breaks, and all that follows for the four tasks.

    Attributes:
        id: the module's name.
        layer: Analysis' `system_level`.
        kind: Analysis' `fault_type`.
        also_accept: further (layer, kind) labels that earn the points in strict mode: those that people who know all
            about the fault would defend, and none that only describes a symptom.
        changes: applied in order.
        wait: seconds between the last change and the agent's first look.
        cause: how to see that it is gone; None where no repair is asked.
        fixes: shell scripts, each of which repairs it; the first is the reference.
        mends: objects that a repair may write besides those that the changes wrote: (resource, name), `*` for any name;
            `namespace/name` where that is not the app's.
        looks: shell commands that a person would run first; played by the reference agent before its answer.
        targets: traits that a component must have for the fault to hurt users there, `!` before one that it must not
            have, see `catalog.traits`; empty where no problem is computed from the fault.
        tasks: that computed problems pose; a mitigation only where there are fixes. Localization is left out where the
            root cause lies in no component but in a node, a quota or all volumes: to ask for the deployment that
            happened to need a new pod first would be to ask for a victim.
        held_out: the whole family belongs to the test split.
        features: of `FEATURES`, what makes it hard. A family with one is posed in tier `hard` alone.
        parts: the faults that it is composed of, in the order in which they befall; empty of a single one. What it says
            of a cause, a layer and a kind is then what the first of them says.
        places: the components in which its root cause lies, where it befalls several at once and has no target.
    """

    id: str
    layer: str
    kind: str
    changes: tuple[Change, ...]
    also_accept: tuple[tuple[str, str], ...] = ()
    wait: float = 60.0
    cause: Cause | None = None
    fixes: tuple[str, ...] = ()
    mends: tuple[tuple[str, str], ...] = ()
    looks: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    tasks: tuple[str, ...] = TASKS
    held_out: bool = False
    features: tuple[str, ...] = ()
    parts: tuple[Fault, ...] = ()
    places: tuple[str, ...] = ()

    @property
    def each(self) -> tuple[Fault, ...]:
        """The single faults that it is made of: itself, or its parts."""
        return self.parts or (self,)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One incident posed as one task.

    Attributes:
        id: as in AIOpsLab, `revoke_auth_mongodb-detection-1`.
        task: `detection`, `localization`, `analysis`, `mitigation` or `incident`.
        app: id of the app.
        fault: id of the fault, "" for a healthy episode; of several that which came first.
        target: component that is hit, "" where none is.
        split: `train` or `test`.
        rate: requests per second of the workload.
        distance: calls between the users and the component that is hit; 0 where users call it, or where none is.
        steps: actions of the reference, its submission included.
        tier: `basic`, `standard` or `hard`; a function of the incident, see `catalog.tiers`.
        how: what a composed incident is, of `catalog.composed.HOW`; "" where it is a single fault.
        others: (fault, target) of what came after the first.
        registered_upstream: whether AIOpsLab's registry has this id; what it has commented out and all that is computed
            is False.
    """

    id: str
    task: str
    app: str
    fault: str
    target: str
    split: str = "train"
    rate: float = 10.0
    distance: int = 0
    steps: int = 0
    tier: str = "basic"
    how: str = ""
    others: tuple[tuple[str, str], ...] = ()
    registered_upstream: bool = False

    @property
    def causes(self) -> tuple[tuple[str, str], ...]:
        """(fault, target) of all that is wrong, in the order in which it befell; empty of a healthy episode."""
        return ((self.fault, self.target), *self.others) if self.fault else ()


@dataclass(frozen=True, kw_only=True)
class Incident:
    """One row of the catalogue: a fault on a target, posed as several tasks.

    Attributes:
        name: of the problems, with `{task}` where the task's name goes.
        fault: id of the fault, "" for a healthy episode.
        tasks: that it is posed as.
        registered: AIOpsLab's registry has it; False for what stands there as a comment.
    """

    name: str
    app: str
    fault: str
    target: str
    tasks: tuple[str, ...] = TASKS
    split: str = "train"
    rate: float = 10.0
    registered: bool = True
