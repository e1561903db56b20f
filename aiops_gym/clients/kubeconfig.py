"""The kubeconfig of the shell: the file that `KUBECONFIG` names, or the one a kind cluster writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import yaml

from aiops_gym import caches
from aiops_gym.clients import goyaml
from aiops_gym.clients.context import Context
from aiops_gym.clients.flags import Parsed

SERVER: Final = "https://127.0.0.1:6443"
DEFAULT: Final[Mapping[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Config",
    "preferences": {},
    "current-context": "kind-kind",
    "clusters": [
        {"name": "kind-kind", "cluster": {"certificate-authority-data": "LS0tLS1CRUdJTg==", "server": SERVER}}
    ],
    "contexts": [{"name": "kind-kind", "context": {"cluster": "kind-kind", "user": "kind-kind"}}],
    "users": [
        {
            "name": "kind-kind",
            "user": {"client-certificate-data": "LS0tLS1CRUdJTg==", "client-key-data": "LS0tLS1CRUdJTg=="},
        }
    ],
}
"""What `kind create cluster` leaves in the kubeconfig."""


class ConfigError(Exception):
    """A kubeconfig that cannot be read; the text is client-go's."""


def find_paths(context: Context, flags: Parsed) -> list[str]:
    """The kubeconfig files of a call; of what several of them say, the first counts."""
    if flags.text("kubeconfig"):
        return [flags.text("kubeconfig")]
    named = [path for path in context.env.get("KUBECONFIG", "").split(":") if path]
    return list(dict.fromkeys(named)) or [f"{context.env.get('HOME', '/root')}/.kube/config"]


def find_path(context: Context, flags: Parsed) -> str:
    """The file that is written: the first that is there, or else the last."""
    paths = find_paths(context, flags)
    return next((path for path in paths if context.files.exists(path)), paths[-1])


def load(context: Context, flags: Parsed, strict: bool = True) -> Mapping[str, Any]:
    """The kubeconfig; the cluster's own where nobody named one and there is none at its usual place.

    Args:
        context: of the shell.
        flags: of the call.
        strict: whether a file that a flag names must be there.

    Raises:
        ConfigError: a file that is not there, or is no kubeconfig.
    """
    paths = find_paths(context, flags)
    found = [config for path in paths if (config := _read(context, path)) is not None]
    if len(found) == 1:
        return found[0]
    if found:
        return _merged(found)
    if flags.text("kubeconfig"):
        if strict:
            raise ConfigError(f"stat {paths[0]}: no such file or directory")
        return EMPTY
    return EMPTY if context.env.get("KUBECONFIG") else DEFAULT


EMPTY: Final[Mapping[str, Any]] = {
    "apiVersion": "v1",
    "clusters": None,
    "contexts": None,
    "current-context": "",
    "kind": "Config",
    "preferences": {},
    "users": None,
}


def _read(context: Context, path: str) -> Mapping[str, Any] | None:
    try:
        text = context.files.read(path)
    except IsADirectoryError:
        raise ConfigError(f'error loading config file "{path}": read {path}: is a directory') from None
    except OSError:
        return None
    found = _parse(text)
    if isinstance(found, str):
        raise ConfigError(f'error loading config file "{path}": {found}')
    return found


@caches.function(64, "parsing a kubeconfig")
def _parse(text: str) -> Mapping[str, Any] | str:
    """The kubeconfig of a text, or what is wrong with it."""
    try:
        data = goyaml.load(text)
    except yaml.YAMLError as error:
        return goyaml.explain_error(error)
    if data is None:
        return EMPTY
    if not isinstance(data, dict):
        kind = "number" if isinstance(data, int | float) else "array" if isinstance(data, list) else "string"
        return (
            f"couldn't get version/kind; json parse error: json: cannot unmarshal {kind} into Go value of type {HEAD}"
        )
    if data.get("apiVersion", "v1") != "v1" or data.get("kind", "Config") != "Config":
        what = f'"{data.get("kind", "Config")}" is registered for version "{data.get("apiVersion", "v1")}"'
        return f'no kind {what} in scheme "k8s.io/client-go/tools/clientcmd/api/latest/latest.go:50"'
    for kind, name in LISTS.items():
        if not _listed(data.get(kind), kind[:-1]):
            told = "number" if isinstance(data[kind], int) else "string" if isinstance(data[kind], str) else "object"
            return f"json: cannot unmarshal {told} into Go struct field Config.{kind} of type []v1.{name}"
    return {**EMPTY, **data}


HEAD: Final = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
LISTS: Final = {"clusters": "NamedCluster", "contexts": "NamedContext", "users": "NamedAuthInfo"}


def _listed(entries: Any, field: str) -> bool:
    """Whether these are entries with a name and a field that holds what they are, or nothing."""
    if entries is None:
        return True
    rows = entries if isinstance(entries, list) else [None]
    return all(isinstance(row, dict) and isinstance(row.get(field) or {}, dict) for row in rows)


def _merged(found: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Several kubeconfigs as one."""
    entries = {}
    for kind in LISTS:
        named = {row.get("name"): row for config in reversed(found) for row in config.get(kind) or ()}
        entries[kind] = sorted(named.values(), key=lambda row: str(row.get("name"))) or None
    current = next((config["current-context"] for config in found if config.get("current-context")), "")
    return {**EMPTY, **entries, "current-context": current}


def find_entry(config: Mapping[str, Any], kind: str, name: str) -> Mapping[str, Any] | None:
    """A named entry of `clusters`, `contexts` or `users`."""
    return next((item for item in config.get(kind) or () if item.get("name") == name), None)


def find_namespace(context: Context, flags: Parsed) -> tuple[str, bool]:
    """The namespace of a call, and whether it was given on the command line."""
    if flags.text("namespace"):
        return flags.text("namespace"), True
    config = load(context, flags)
    if config is DEFAULT:
        return "default", False
    found = find_entry(config, "contexts", flags.text("context") or str(config.get("current-context", "")))
    return str(((found or {}).get("context") or {}).get("namespace") or "default"), False


def find_server(context: Context, flags: Parsed) -> str:
    """Where the API server of a call is."""
    found = load(context, flags)
    current = find_entry(found, "contexts", flags.text("context") or str(found.get("current-context", "")))
    cluster = find_entry(found, "clusters", str(((current or {}).get("context") or {}).get("cluster", "")))
    return str(((cluster or {}).get("cluster") or {}).get("server", SERVER))
