"""ConfigMaps, Secrets and ServiceAccounts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api import names
from aiops_gym.sim.kube_api.kind import Draft, Kind, make_age_cell, parse_columns
from aiops_gym.sim.kube_api.status import Fault, field_forbidden, invalid_value, required, too_long
from aiops_gym.types import Json

LIMIT = 1024 * 1024
"""Bytes of data in a ConfigMap or Secret (`MaxSecretSize`)."""

NEEDED = {
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}


def _secret(draft: Draft) -> None:
    """Plain strings become data; the plain form is never kept."""
    plain = draft.pop("stringData", None) or {}
    if plain:
        encoded = {k: b64encode(v.encode()).decode() for k, v in plain.items()}
        draft["data"] = {**(draft.get("data") or {}), **encoded}
    draft.setdefault("type", "Opaque")


def _keys(data: Mapping[str, Any], path: str) -> list[Fault]:
    return [invalid_value(f"{path}[{key}]", key, why) for key in data for why in names.validate_config_key(key)]


def _config_map_faults(draft: Draft) -> list[Fault]:
    plain, binary = draft.get("data") or {}, draft.get("binaryData") or {}
    faults = _keys(plain, "data") + _keys(binary, "binaryData")
    if sum(len(v) for d in (plain, binary) for v in d.values()) > LIMIT:
        faults.append(too_long("", LIMIT))
    return faults


def _secret_faults(draft: Draft) -> list[Fault]:
    data = draft.get("data") or {}
    faults = _keys(data, "data")
    if sum(len(v) * 3 // 4 for v in data.values()) > LIMIT:
        faults.append(too_long("data", LIMIT))
    return faults + [required(f"data[{key}]") for key in NEEDED.get(draft["type"], ()) if key not in data]


def _kept(draft: Draft, old: Obj) -> list[Fault]:
    faults = []
    if draft["kind"] == "Secret" and draft.get("type") != old.get("type"):
        faults.append(invalid_value("type", draft.get("type"), "field is immutable"))
    if old.get("immutable"):
        if not draft.get("immutable"):
            faults.append(field_forbidden("immutable", "field is immutable when `immutable` is set"))
        for name in ("data", "binaryData"):
            if draft.get(name) != old.get(name):
                faults.append(field_forbidden(name, "field is immutable when `immutable` is set"))
    return faults


def _config_map_cells(obj: Obj) -> list[Json]:
    count = len(obj.get("data") or ()) + len(obj.get("binaryData") or ())
    return [obj["metadata"]["name"], count, make_age_cell(obj)]


def _secret_cells(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], obj.get("type", ""), len(obj.get("data") or ()), make_age_cell(obj)]


def _account_cells(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], len(obj.get("secrets") or ()), make_age_cell(obj)]


KINDS = (
    Kind(
        resource="configmaps",
        columns=parse_columns("Name/Data#/Age"),
        cells=_config_map_cells,
        validate=_config_map_faults,
        validate_update=_kept,
    ),
    Kind(
        resource="secrets",
        columns=parse_columns("Name/Type/Data#/Age"),
        cells=_secret_cells,
        default=_secret,
        validate=_secret_faults,
        validate_update=_kept,
        fields={"type": lambda obj: str(obj.get("type", ""))},
    ),
    Kind(resource="serviceaccounts", columns=parse_columns("Name/Secrets#/Age"), cells=_account_cells),
)
