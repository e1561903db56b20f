"""Roles and bindings, and kinds of which only a time of creation is shown."""

from __future__ import annotations

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api.kind import CREATED_AT, NAME, Draft, Kind, make_age_cell, make_created_cells, parse_columns
from aiops_gym.sim.kube_api.status import Fault
from aiops_gym.types import Json

GROUP = "rbac.authorization.k8s.io"


def _role(draft: Draft) -> None:
    if not draft.get("rules"):
        draft["rules"] = None if "rules" not in draft else []


def _binding(draft: Draft) -> None:
    draft.setdefault("roleRef", {}).setdefault("apiGroup", GROUP)
    for subject in draft.get("subjects") or ():
        if subject.get("kind") in ("User", "Group"):
            subject.setdefault("apiGroup", GROUP)


def _kept(draft: Draft, old: Obj) -> list[Fault]:
    if draft.get("roleRef") == old.get("roleRef"):
        return []
    names = ("apiGroup", "kind", "name")
    inner = ", ".join(f'{n[0].upper()}{n[1:]}:"{draft["roleRef"].get(n, "")}"' for n in names).replace(
        "ApiGroup", "APIGroup"
    )
    text = f"Invalid value: rbac.RoleRef{{{inner}}}: cannot change roleRef"
    return [Fault("FieldValueInvalid", "roleRef", text)]


def _binding_cells(obj: Obj) -> list[Json]:
    subjects = obj.get("subjects") or ()
    users = ", ".join(s["name"] for s in subjects if s["kind"] == "User")
    groups = ", ".join(s["name"] for s in subjects if s["kind"] == "Group")
    accounts = ", ".join(f"{s.get('namespace', '')}/{s['name']}" for s in subjects if s["kind"] == "ServiceAccount")
    role = obj["roleRef"]
    return [obj["metadata"]["name"], f"{role['kind']}/{role['name']}", make_age_cell(obj), users, groups, accounts]


BINDING_COLUMNS = parse_columns("Name/Role/Age/Users*/Groups*/ServiceAccounts*")
DATED = (f"roles.{GROUP}", f"clusterroles.{GROUP}", "customresourcedefinitions.apiextensions.k8s.io")

KINDS = (
    *(
        Kind(
            resource=f"{name}.{GROUP}",
            columns=BINDING_COLUMNS,
            cells=_binding_cells,
            default=_binding,
            validate_update=_kept,
        )
        for name in ("rolebindings", "clusterrolebindings")
    ),
    *(
        Kind(
            resource=name,
            columns=(NAME, CREATED_AT),
            cells=make_created_cells,
            default=_role if name.endswith(GROUP) else lambda draft: None,
        )
        for name in DATED
    ),
)
