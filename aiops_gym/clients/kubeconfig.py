"""The kubeconfig of the shell: the file that `KUBECONFIG` names, or the one a kind cluster writes."""

from __future__ import annotations

from collections.abc import Mapping
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


def find_path(context: Context, flags: Parsed) -> str:
    """The kubeconfig file of a call."""
    named = flags.text("kubeconfig") or context.env.get("KUBECONFIG", "").partition(":")[0]
    return named or f"{context.env.get('HOME', '/root')}/.kube/config"


def load(context: Context, flags: Parsed) -> Mapping[str, Any]:
    """The kubeconfig; the cluster's own where the file does not exist or is none."""
    try:
        text = context.files.read(find_path(context, flags))
    except OSError:
        return DEFAULT
    return _parse(text)


@caches.function(64, "parsing a kubeconfig")
def _parse(text: str) -> Mapping[str, Any]:
    try:
        data = goyaml.load(text)
    except yaml.YAMLError:
        return DEFAULT
    if not isinstance(data, dict) or not data.get("contexts"):
        return DEFAULT
    return data if all(_listed(data.get(kind), kind[:-1]) for kind in ("clusters", "contexts", "users")) else DEFAULT


def _listed(entries: Any, field: str) -> bool:
    """Whether these are entries with a name and a field that holds what they are, or nothing."""
    if entries is None:
        return True
    rows = entries if isinstance(entries, list) else [None]
    return all(isinstance(row, dict) and isinstance(row.get(field) or {}, dict) for row in rows)


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
