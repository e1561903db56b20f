"""What `kubectl config` puts into a kubeconfig and takes out of it, one entry or one property at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from aiops_gym.clients import as_yaml, kubeconfig
from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.errors import Failure, HelpFailure, UsageFailure
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.types import Json

KINDS: Final[Mapping[str, str]] = {"clusters": "cluster", "contexts": "context", "users": "user"}
CLUSTER: Final = ("server", "certificate-authority", "insecure-skip-tls-verify", "proxy-url", "tls-server-name")
USER: Final = ("client-certificate", "client-key", "token", "username", "password")
SWITCHES: Final = ("insecure-skip-tls-verify",)
PLAIN: Final = ("current-context", "kind", "apiVersion")
TRUTHS: Final = {"true": True, "false": False}


def save(call: Invocation, found: Mapping[str, Any]) -> None:
    """Write the kubeconfig."""
    call.context.files.write(kubeconfig.find_path(call.context, call.flags), as_yaml.text(dict(found)))


def _name(call: Invocation) -> str:
    if len(call.args) != 1:
        word = "unexpected" if call.path.endswith("set-credentials") else "Unexpected"
        raise HelpFailure(f"{word} args: [{' '.join(call.args)}]")
    return call.args[0]


def _put(kind: str, fields: tuple[str, ...]) -> Callable[[Invocation], None]:
    """A command that makes or changes a cluster or user."""

    def run(call: Invocation) -> None:
        name, found = _name(call), kubeconfig.load(call.context, call.flags)
        inner = dict((kubeconfig.find_entry(found, kind, name) or {}).get(KINDS[kind]) or {})
        if kind == "users":
            inner |= _plugins(call, inner)
        elif call.flags.on("insecure-skip-tls-verify") and call.flags.text("certificate-authority"):
            raise Failure("you cannot specify a certificate authority and insecure mode at the same time")
        if call.flags.on("embed-certs"):
            _embed(call, fields)
        given = {field: call.flags.values[field] for field in fields if call.flags.given(field)}
        inner = {field: value for field, value in {**inner, **given}.items() if value not in ("", False)}
        save(call, _with(found, kind, name, inner))
        call.say(f"{KINDS[kind].capitalize()} {go_quote(name)} set.")

    return run


def _embed(call: Invocation, fields: tuple[str, ...]) -> None:
    """Refuse certificates that are not there, or not named."""
    if "client-key" in fields and not (call.flags.text("client-certificate") or call.flags.text("client-key")):
        raise Failure("you must specify a --client-certificate or --client-key to embed")
    if "certificate-authority" in fields and not call.flags.text("certificate-authority"):
        raise Failure("you must specify a --certificate-authority to embed")
    for field in fields:
        path = call.flags.text(field) if field in FILED else ""
        if path and not call.context.files.exists(path):
            raise Failure(f"could not stat {field} file {path}: stat {path}: no such file or directory")


FILED: Final = ("certificate-authority", "client-certificate", "client-key")


def _plugins(call: Invocation, inner: Mapping[str, Any]) -> dict[str, Json]:
    """What gets a user's credentials: an old provider, or a program."""
    flags = call.flags
    found: dict[str, Json] = {}
    mode = flags.text("exec-interactive-mode")
    for flag in ("auth-provider-arg", "exec-env"):
        if wrong := [pair for pair in filter(None, flags.items(flag)) if "=" not in pair and not pair.endswith("-")]:
            shown = wrong[0] if flag == "exec-env" else ", ".join(wrong[0].split(","))
            raise HelpFailure(f"invalid {flag} format: {shown}")
    if flags.given("exec-interactive-mode") and mode not in MODES:
        raise Failure("invalid interactive mode type, can be only IfAvailable, Never, Always")
    if flags.text("auth-provider"):
        pairs = dict(pair.split("=", 1) for pair in flags.items("auth-provider-arg") if "=" in pair)
        found["auth-provider"] = {"config": pairs or None, "name": flags.text("auth-provider")}
    if flags.text("exec-command"):
        names = {"args": "exec-arg", "env": "exec-env"}
        lists: dict[str, Json] = {key: list(flags.items(flag)) or None for key, flag in names.items()}
        lists["env"] = [
            dict(zip(("name", "value"), pair.split("=", 1), strict=True)) for pair in lists["env"] or ()
        ] or None
        version = flags.text("exec-api-version")
        program = {"apiVersion": version, "args": lists["args"], "command": flags.text("exec-command")}
        told = {"interactiveMode": mode or "IfAvailable", "provideClusterInfo": flags.on("exec-provide-cluster-info")}
        found["exec"] = {**program, "env": lists["env"], **told}
    return found


MODES: Final = ("IfAvailable", "Never", "Always")
PLUGINS: Final = (
    Flag("auth-provider", help="Auth provider for the user entry in kubeconfig"),
    Flag("auth-provider-arg", "array", help="'key=value' arguments for the auth provider"),
    Flag("exec-api-version", help="API version of the exec credential plugin for the user entry in kubeconfig"),
    Flag("exec-arg", "array", help="New arguments for the exec credential plugin command"),
    Flag("exec-command", help="Command for the exec credential plugin for the user entry in kubeconfig"),
    Flag("exec-env", "array", help="'key=value' environment values for the exec credential plugin"),
    Flag("exec-interactive-mode", help="InteractiveMode of the exec credentials plugin"),
    Flag("exec-provide-cluster-info", "bool", help="ProvideClusterInfo of the exec credentials plugin"),
)


def _with(found: Mapping[str, Any], kind: str, name: str, inner: Json) -> dict[str, Any]:
    """The kubeconfig with an entry, or without it if that is None."""
    others = [item for item in found.get(kind) or () if item["name"] != name]
    added = [] if inner is None else [{KINDS[kind]: inner, "name": name}]
    return {**found, kind: sorted([*others, *added], key=lambda item: str(item["name"]))}


def _drop(kind: str) -> Callable[[Invocation], None]:
    """A command that removes a cluster or user."""

    def run(call: Invocation) -> None:
        if len(call.args) != 1:
            raise UsageFailure("user to delete is required") if kind == "users" else HelpFailure("")
        name, found = call.args[0], kubeconfig.load(call.context, call.flags)
        path = kubeconfig.find_path(call.context, call.flags)
        if kubeconfig.find_entry(found, kind, name) is None:
            raise Failure(f"cannot delete {KINDS[kind]} {name}, not in {path}")
        save(call, _with(found, kind, name, None))
        call.say(f"deleted {KINDS[kind]} {name} from {path}")

    return run


def put(call: Invocation) -> None:
    """Set one property, `contexts.dev.namespace`."""
    if len(call.args) != 2:
        raise HelpFailure(f"Unexpected args: [{' '.join(call.args)}]")
    path, value = call.args
    _change(call, path, TRUTHS.get(value, value))
    call.say(f"Property {go_quote(path)} set.")


def unset(call: Invocation) -> None:
    """Take one property out, or a whole entry."""
    path = _name(call)
    _change(call, path, None)
    call.say(f"Property {go_quote(path)} unset.")


def _change(call: Invocation, path: str, value: Json) -> None:
    found = kubeconfig.load(call.context, call.flags)
    kind, _, rest = path.partition(".")
    if path in PLAIN:
        save(call, {**found, path: value or ""})
        return
    if kind not in KINDS or not rest:
        raise Failure(f"unable to parse {path} after [] at api.Config")
    name = next((e["name"] for e in found.get(kind) or () if rest == e["name"] or rest.startswith(f"{e['name']}.")), "")
    if not name and value is None and "." not in rest:
        return  # kubectl says of an entry that is not there that it is gone
    if not name and value is None:
        raise Failure(f"current map key `{rest.partition('.')[0]}` is invalid")
    name = name or rest.partition(".")[0]
    field = rest.removeprefix(name).removeprefix(".")
    inner = dict((kubeconfig.find_entry(found, kind, name) or {}).get(KINDS[kind]) or {})
    if not field:
        if value is not None:
            raise Failure("unable to set a map to a value")
        save(call, _with(found, kind, name, None))
        return
    inner = {key: old for key, old in inner.items() if key != field}
    save(call, _with(found, kind, name, inner if value in (None, "", False) else {**inner, field: value}))


def _flags(fields: tuple[str, ...], what: str) -> tuple[Flag, ...]:
    return tuple(
        Flag(field, "bool" if field in SWITCHES else "string", help=f"{field} of the {what}") for field in fields
    )


VERBS: Final = (
    Verb("delete-cluster", _drop("clusters"), short="Delete the specified cluster from the kubeconfig"),
    Verb("delete-user", _drop("users"), short="Delete the specified user from the kubeconfig"),
    Verb(
        "set",
        put,
        flags=(Flag("set-raw-bytes", "bool", help="When writing a []byte PROPERTY_VALUE, write it as it is."),),
        usage="config set PROPERTY_NAME PROPERTY_VALUE",
        short="Set an individual value in a kubeconfig file",
    ),
    Verb(
        "set-cluster",
        _put("clusters", CLUSTER),
        flags=(*_flags(CLUSTER, "cluster"), Flag("embed-certs", "bool", help="Write the certificates themselves.")),
        usage="config set-cluster NAME [--server=server]",
        short="Set a cluster entry in kubeconfig",
    ),
    Verb(
        "set-credentials",
        _put("users", USER),
        flags=(*_flags(USER, "user"), *PLUGINS, Flag("embed-certs", "bool", help="Write the certificates themselves.")),
        usage="config set-credentials NAME [--token=bearer_token]",
        short="Set a user entry in kubeconfig",
    ),
    Verb("unset", unset, usage="config unset PROPERTY_NAME", short="Unset an individual value in a kubeconfig file"),
)
"""The commands of this module."""
