"""Whether the kubeconfig and the flags that overrule it lead to the cluster; where not, in the words of client-go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from aiops_gym.clients import kubeconfig
from aiops_gym.clients.context import Context
from aiops_gym.clients.flags import FlagError, Parsed, parse_duration
from aiops_gym.kubectl.errors import Failure, KubectlError
from aiops_gym.sim.golang.literals import go_quote

INSIDE: Final = "10.96.0.1:443"
HERE: Final = ("kind-control-plane:6443", "127.0.0.1:6443", "localhost:6443", INSIDE)
"""Where the API server answers, for those in the cluster too."""

LOCAL: Final = ("kubectl config", "kubectl kustomize", "kubectl options", "kubectl help")
"""Commands that ask no server."""

CLIENT_FIRST: Final = tuple(
    f"kubectl {verb}"
    for verb in ("explain", "api-", "cluster-info", "version", "run", "create", "apply", "auth", "diff", "get --raw")
)
"""Commands that make their client before they look for a namespace."""

BUILDING: Final = tuple(f"kubectl {verb}" for verb in ("get", "describe", "rollout history", "delete", "label"))
"""Commands whose lists come from the resource builder, which wraps what goes wrong once more."""

TIMEOUT: Final = (
    "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding "
    "time unit (e.g. 1s | 2m | 3h)"
)
PAIRS: Final = (("client-cert", "client-certificate"), ("client-key", "client-key"))


def check(context: Context, flags: Parsed, path: str) -> KubectlError | None:
    """What a command meets when it turns to the cluster, None where the cluster answers.

    Raises:
        KubectlError: what it meets before it does anything.
    """
    if path.startswith(LOCAL) or (path == "kubectl version" and flags.on("client")):
        return None
    if path.startswith("kubectl create ") and len(flags.args if flags.dash < 0 else flags.args[: flags.dash]) != 1:
        return None  # which is told first
    config = kubeconfig.load(context, flags)
    if config is kubeconfig.DEFAULT and flags.changed.keys().isdisjoint(OVERRULING):
        return None
    place = _Place(context, flags, config)
    if not flags.text("namespace") and not path.startswith(CLIENT_FIRST):
        place.confirm(built=False)
    place.find()
    listing = len(flags.args) == 1 and "/" not in flags.args[0] and path.startswith(BUILDING)
    built = bool(flags.text("namespace")) and listing
    place.confirm(built)
    _check_flags(flags, place.user, built)
    error = place.reach(path)
    if error is not None and path.startswith(AT_ONCE):
        raise error
    return error


AT_ONCE: Final = tuple(f"kubectl {verb}" for verb in ("explain", "api-", "cluster-info", "version"))
"""Commands that ask the server first of all."""


def _text(flags: Parsed, name: str) -> str:
    """The value of a global flag; a command may have one of its own by this name, a list."""
    value = flags.values[name]
    return value if isinstance(value, str) else ""


OVERRULING: Final = frozenset(
    [
        "context",
        "cluster",
        "user",
        "server",
        "kubeconfig",
        "as-group",
        "as-uid",
        "certificate-authority",
        "client-certificate",
        "client-key",
        "request-timeout",
    ]
)
"""The flags that may lead elsewhere, or nowhere."""


def _check_flags(flags: Parsed, user: str, built: bool) -> None:
    """Refuse to be nobody's group."""
    if (flags.items("as-group") or _text(flags, "as-uid")) and not _text(flags, "as"):
        told = "Error in configuration" if built else "error"
        raise KubectlError(f"{told}: requesting uid, groups or user-extra for {user} without impersonating a user")


class _Place:
    """What a call's kubeconfig and flags say of the way to the cluster."""

    def __init__(self, context: Context, flags: Parsed, config: Mapping[str, Any]) -> None:
        self.context, self.flags, self.config = context, flags, config
        self.name = _text(flags, "context") or str(config.get("current-context") or "")
        entry = (kubeconfig.find_entry(config, "contexts", self.name) or {}).get("context") or {}
        self.cluster = _text(flags, "cluster") or str(entry.get("cluster") or "")
        self.user = _text(flags, "user") or str(entry.get("user") or "")

    def find(self) -> None:
        """Raise where a flag names what is not there."""
        for kind, flag, what in (("users", "user", "auth info"), ("contexts", "context", "context"), CLUSTERS):
            name = _text(self.flags, flag)
            if name and kubeconfig.find_entry(self.config, kind, name) is None:
                raise Failure(f"{what} {go_quote(name)} does not exist")

    def confirm(self, built: bool) -> None:
        """Raise where what is there is of no use; told one way by the builder of requests and another by the rest."""
        if self.name and kubeconfig.find_entry(self.config, "contexts", self.name) is None:
            raise KubectlError(f"Error in configuration: context was not found for specified context: {self.name}")
        if _text(self.flags, "cluster") and kubeconfig.find_entry(self.config, "clusters", self.cluster) is None:
            raise Failure(f"no server found for cluster {go_quote(self.cluster)}")
        wrong = [
            *self._wrong_user(),
            *self._wrong_files("certificate-authority", "certificate-authority", self.cluster),
        ]
        if len(wrong) > 1:
            raise KubectlError("Error in configuration: \n" + "".join(f"* {line}\n" for line in wrong))
        if wrong:
            raise KubectlError(f"{'Error in configuration' if built else 'error'}: {wrong[0]}")
        try:
            text = self.flags.text("request-timeout")
            _ = text.isdecimal() or parse_duration(text)
        except (ValueError, FlagError):
            raise Failure(TIMEOUT) from None

    def _wrong_user(self) -> list[str]:
        found = []
        if self.flags.text("client-certificate") and not self.flags.text("client-key"):
            found.append(
                f"client-key-data or client-key must be specified for {self.user} to use the clientCert "
                "authentication method."
            )
        if self.flags.text("client-certificate"):
            for word, flag in PAIRS:
                found += self._wrong_files(word, flag, self.user)
        return found

    def _wrong_files(self, word: str, flag: str, owner: str) -> list[str]:
        path = _text(self.flags, flag)
        if not path or self.context.files.exists(path):
            return []
        return [f"unable to read {word} {path} for {owner} due to open {path}: no such file or directory"]

    def reach(self, path: str) -> KubectlError | None:
        """What comes back where no server answers."""
        entry = (kubeconfig.find_entry(self.config, "clusters", self.cluster) or {}).get("cluster") or {}
        server = self.flags.text("server") or str(entry.get("server") or "http://localhost:8080")
        where = urlsplit(server if "//" in server else f"//{server}")
        if where.netloc in HERE:
            return None
        host = where.hostname or ""
        if host == "localhost" or host.replace(".", "").isdecimal():
            text = f"The connection to the server {where.netloc} was refused - did you specify the right host or port?"
        else:
            text = f"Unable to connect to the server: dial tcp: lookup {host}: no such host"
        error = KubectlError(text)
        if path == "kubectl api-resources":
            error.out = "NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND\n"
        elif path == "kubectl cluster-info":
            error.out = "\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n"
        return error


CLUSTERS: Final = ("clusters", "cluster", "cluster")
