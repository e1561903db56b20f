"""Whether the kubeconfig and the flags that overrule it lead to the cluster; where not, in the words of client-go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from aiops_gym.clients import kubeconfig
from aiops_gym.clients.context import Context
from aiops_gym.clients.flags import FlagError, Parsed, parse_duration
from aiops_gym.kubectl.errors import Misconfigured, Unreachable
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.golang.literals import go_quote

INSIDE: Final = "10.96.0.1:443"
HERE: Final = ("kind-control-plane:6443", "127.0.0.1:6443", "localhost:6443", INSIDE)
"""Where the API server answers, for those in the cluster too."""

LOCAL: Final = ("kubectl config", "kubectl kustomize", "kubectl options", "kubectl help")
"""Commands that ask no server."""

CLIENT_FIRST: Final = tuple(
    f"kubectl {verb}"
    for verb in ("explain", "api-", "cluster-info", "version", "run", "create", "apply", "auth", "diff", "wait")
)
"""Commands that make their client before they look for a namespace."""

EARLY: Final = tuple(
    f"kubectl {verb}" for verb in ("taint", "autoscale", "run", "exec", "cp", "events", "certificate ")
)
"""Commands that make their client before they look at anything else that was typed."""

AT_ONCE: Final = tuple(f"kubectl {verb}" for verb in ("explain", "api-", "cluster-info", "version"))
"""Commands that ask the server first of all."""

BUILDING: Final = tuple(
    f"kubectl {verb}"
    for verb in (
        *("get", "describe", "delete", "label", "annotate", "patch", "apply view-last-applied", "set image"),
        *("set resources", "set selector", "set serviceaccount", "set subject"),
        *("rollout history", "rollout restart", "rollout undo", "rollout pause", "rollout resume"),
    )
)
"""Commands whose client is made by the resource builder, which wraps once more what goes wrong with types."""

TIMEOUT: Final = (
    "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding "
    "time unit (e.g. 1s | 2m | 3h)"
)
PAIRS: Final = (("client-cert", "client-certificate"), ("client-key", "client-key"))


def guard(call: Invocation) -> None:
    """Have the client find its way when it first turns to the cluster.

    Raises:
        KubectlError: what the command meets before it does anything.
    """
    context, flags, path = call.context, call.flags, call.path
    if path.startswith(LOCAL) or (path == "kubectl version" and flags.on("client")):
        return
    config = kubeconfig.load(context, flags)
    if config is kubeconfig.DEFAULT and flags.changed.keys().isdisjoint(OVERRULING):
        return
    way = _Way(context, flags, config, path)
    if not flags.text("namespace") and not path.startswith(CLIENT_FIRST) and not flags.values.get("raw"):
        way.confirm(built=False)
    call.client.set_out(way.configure, way.reach)
    if path.startswith(EARLY):
        call.client.configure()
    if path.startswith(AT_ONCE):
        call.client.touch()


def _text(flags: Parsed, name: str) -> str:
    """The value of a global flag; a command may have one of its own by this name, a list."""
    value = flags.values[name]
    return value if isinstance(value, str) else ""


OVERRULING: Final = frozenset(
    [
        *("context", "cluster", "user", "server", "kubeconfig", "as-group", "as-uid"),
        *("certificate-authority", "client-certificate", "client-key", "request-timeout"),
    ]
)
"""The flags that may lead elsewhere, or nowhere."""


class _Way:
    """What a call's kubeconfig and flags say of the way to the cluster."""

    def __init__(self, context: Context, flags: Parsed, config: Mapping[str, Any], path: str) -> None:
        self.context, self.flags, self.config, self.path = context, flags, config, path
        self.name = _text(flags, "context") or str(config.get("current-context") or "")
        entry = (kubeconfig.find_entry(config, "contexts", self.name) or {}).get("context") or {}
        self.cluster = _text(flags, "cluster") or str(entry.get("cluster") or "")
        self.user = _text(flags, "user") or str(entry.get("user") or "")

    def configure(self) -> None:
        """Raise where there is no way to make a client."""
        flags = self.flags
        self.find()
        typed = bool(flags.args) and "/" not in flags.args[0] and not flags.values.get("filename")
        built = bool(flags.text("namespace")) and typed and self.path.startswith(BUILDING)
        self.confirm(built)
        if (flags.items("as-group") or _text(flags, "as-uid")) and not _text(flags, "as"):
            told = "Error in configuration" if built else "error"
            what = f"requesting uid, groups or user-extra for {self.user} without impersonating a user"
            raise Misconfigured(f"{told}: {what}", once=not flags.text("namespace"))

    def find(self) -> None:
        """Raise where a flag names what is not there."""
        for kind, flag, what in (("users", "user", "auth info"), ("contexts", "context", "context"), CLUSTERS):
            name = _text(self.flags, flag)
            if name and kubeconfig.find_entry(self.config, kind, name) is None:
                raise Misconfigured(f"error: {what} {go_quote(name)} does not exist", named=True)

    def confirm(self, built: bool) -> None:
        """Raise where what is there is of no use; told one way by the builder of requests and another by the rest."""
        if self.name and kubeconfig.find_entry(self.config, "contexts", self.name) is None:
            raise Misconfigured(f"Error in configuration: context was not found for specified context: {self.name}")
        if _text(self.flags, "cluster") and kubeconfig.find_entry(self.config, "clusters", self.cluster) is None:
            raise Misconfigured(f"error: no server found for cluster {go_quote(self.cluster)}", named=True)
        wrong = [
            *self._wrong_user(),
            *self._wrong_files("certificate-authority", "certificate-authority", self.cluster),
        ]
        if len(wrong) > 1:
            raise Misconfigured("Error in configuration: \n" + "".join(f"* {line}\n" for line in wrong))
        if wrong:
            raise Misconfigured(f"{'Error in configuration' if built else 'error'}: {wrong[0]}")
        try:
            text = self.flags.text("request-timeout")
            _ = text.isdecimal() or parse_duration(text)
        except (ValueError, FlagError):
            raise Misconfigured(f"error: {TIMEOUT}") from None

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

    def reach(self) -> None:
        """Raise what comes back where no server answers."""
        entry = (kubeconfig.find_entry(self.config, "clusters", self.cluster) or {}).get("cluster") or {}
        server = self.flags.text("server") or str(entry.get("server") or "http://localhost:8080")
        where = urlsplit(server if "//" in server else f"//{server}")
        if where.netloc in HERE:
            return
        host = where.hostname or ""
        if host == "localhost" or host.replace(".", "").isdecimal():
            why = f"dial tcp {where.netloc}: connect: connection refused"
            text = f"The connection to the server {where.netloc} was refused - did you specify the right host or port?"
        else:
            why = f"dial tcp: lookup {host}: no such host"
            text = f"Unable to connect to the server: {why}"
        patience = self.flags.text("request-timeout")
        patience = "32s" if patience in ("", "0") else f"{patience}s" if patience.isdecimal() else patience
        error = Unreachable(text, f"{where.scheme or 'http'}://{where.netloc}", why, patience)
        if self.path == "kubectl api-resources":
            error.out = "NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND\n"
        elif self.path == "kubectl cluster-info":
            error.out = "\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n"
        raise error


CLUSTERS: Final = ("clusters", "cluster", "cluster")
