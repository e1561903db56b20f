"""What the server knows about one kind of object: defaults, rules, and the columns `kubectl get` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.status import Fault
from aiops_gym.types import Json

Draft = dict[str, Any]
"""An object that is not stored yet: ours alone, and so we may change it."""


class Column(NamedTuple):
    """One column of a Table; those with a priority above 0 are printed with `-o wide` only."""

    name: str
    priority: int = 0
    type: str = "string"
    description: str = ""
    format: str = ""


class Since(NamedTuple):
    """A cell that tells how long ago something was: the text around it, and the time in milliseconds."""

    time: int
    before: str = ""
    after: str = ""


NAME = Column(
    "Name",
    format="name",
    description="Name must be unique within a namespace. Is required when creating resources, although some resources "
    "may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for "
    "creation idempotence and configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
)
AGE = Column(
    "Age",
    description="CreationTimestamp is a timestamp representing the server time when this object was created. It is not "
    "guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is "
    "represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
)
CREATED_AT = Column("Created At", type="date", description=AGE.description)


def parse_columns(text: str) -> tuple[Column, ...]:
    """Columns from their names, `/` between them; a trailing `*` marks one for `-o wide`, `#` a number.

    >>> [(c.name, c.priority, c.type) for c in parse_columns("Name/Count#/Node*")]
    [('Name', 0, 'string'), ('Count', 0, 'integer'), ('Node', 1, 'string')]
    """
    found = []
    for name in text.split("/"):
        if name in ("Name", "Age"):
            found.append(NAME if name == "Name" else AGE)
        else:
            bare = name.rstrip("*#")
            found.append(Column(bare, 1 if "*" in name else 0, "integer" if "#" in name else "string"))
    return tuple(found)


def make_age_cell(obj: Mapping[str, Any]) -> Since | str:
    """The cell of the Age column."""
    created = obj["metadata"].get("creationTimestamp")
    return make_since_cell(created)


def make_since_cell(time: str | None) -> Since | str:
    """A cell that tells how long ago an RFC 3339 time was."""
    return Since(millis(time)) if time else "<unknown>"


def plain_cells(obj: Obj) -> list[Json]:
    """Cells of kinds of which only name and age are shown."""
    return [obj["metadata"]["name"], make_age_cell(obj)]


def make_created_cells(obj: Obj) -> list[Json]:
    """Cells of kinds that show their creation as a time."""
    return [obj["metadata"]["name"], obj["metadata"].get("creationTimestamp")]


def nothing(draft: Draft) -> None:
    """No defaults."""


def admit_all(world: World, draft: Draft, old: Obj | None) -> None:
    """Nothing to allocate or to refuse."""


def no_faults(draft: Draft) -> list[Fault]:
    """Everything is allowed."""
    return []


def no_update_faults(draft: Draft, old: Obj) -> list[Fault]:
    """Every change is allowed."""
    return []


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of object, as the server treats it.

    Attributes:
        resource: its resource, `deployments.apps`.
        columns: of a Table.
        cells: one object's cells; `Since` where the text depends on the clock.
        default: fills in what was left out.
        admit: allocates or refuses at creation (old is None) and update; raises ApiError.
        validate: rules for each version of an object.
        validate_update: rules for changes.
        validate_status: rules for what is written into the status.
        default_status: fills in what was left out of a status.
        status: what a new object's status holds; None if the kind has none.
        generation: whether `metadata.generation` counts changes of the spec.
        fields: what field selectors may ask besides name and namespace; None accepts only those, by another text.
        name_rule: what is wrong with a name.
    """

    resource: str
    columns: tuple[Column, ...] = (NAME, AGE)
    cells: Callable[[Obj], list[Json]] = plain_cells
    default: Callable[[Draft], None] = nothing
    admit: Callable[[World, Draft, Obj | None], None] = admit_all
    validate: Callable[[Draft], list[Fault]] = no_faults
    validate_update: Callable[[Draft, Obj], list[Fault]] = no_update_faults
    validate_status: Callable[[Draft, Obj], list[Fault]] = no_update_faults
    default_status: Callable[[Draft], None] = nothing
    status: Mapping[str, Json] | None = None
    generation: bool = False
    fields: Mapping[str, Callable[[Obj], str]] | None = None
    name_rule: Callable[[str], list[str]] | None = None
