"""`kubectl config`: the kubeconfig file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Final

from aiops_gym.clients import as_yaml, kubeconfig
from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.entries import VERBS, save
from aiops_gym.kubectl.errors import Failure, Failures, HelpFailure, UsageFailure
from aiops_gym.kubectl.output import FLAGS, choose_printer
from aiops_gym.kubectl.output.structs import Struct
from aiops_gym.kubectl.output.table import lay_out
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.types import Json

SECRET: Final = ("certificate-authority-data", "client-certificate-data", "client-key-data", "password")
COLUMNS: Final = ("cluster", "user", "namespace")
PARTS: Final = ("clusters", "contexts", "users")


def view(call: Invocation) -> int | None:
    """Print the kubeconfig, its secrets left out."""
    if call.args:
        raise UsageFailure(f"unexpected arguments: [{' '.join(call.args)}]")
    shown = choose_printer(call, plain=("", "yaml"))
    if not call.flags.on("merge") and not call.flags.text("kubeconfig"):
        raise Failure("if merge==false a precise file must be specified")
    found = kubeconfig.load(call.context, call.flags, strict=False)
    found = {**found, **{part: sorted(found[part], key=itemgetter("name")) for part in PARTS if found.get(part)}}
    if call.flags.on("minify"):
        found = _minified(call, found)
    if not call.flags.on("raw"):
        found = _redacted(found)
    call.write(as_yaml.text(found) if shown is None else shown.one(Struct(found)))
    return 0


def _minified(call: Invocation, found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Only what the current context uses."""
    name = call.flags.text("context") or str(found.get("current-context", ""))
    context = kubeconfig.find_entry(found, "contexts", name)
    if context is None:
        raise Failure(f"cannot locate context {name}" if name else "current-context must exist in order to minify")
    inner = context.get("context") or {}
    return {
        **found,
        "contexts": [context],
        "clusters": [c for c in found.get("clusters") or () if c["name"] == inner.get("cluster")],
        "users": [u for u in found.get("users") or () if u["name"] == inner.get("user")],
        "current-context": name,
    }


def _redacted(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {
            key: (("REDACTED" if key in ("password", "token") else "DATA+OMITTED") if _is_secret(key) else _redacted(v))
            for key, v in value.items()
        }
    return [_redacted(inner) for inner in value] if isinstance(value, list) else value


def _is_secret(key: str) -> bool:
    return key in SECRET or key == "token"


def current_context(call: Invocation) -> int | None:
    """Print the name of the current context."""
    name = str(kubeconfig.load(call.context, call.flags).get("current-context") or "")
    if not name:
        raise Failure("current-context is not set")
    call.say(name)
    return 0


def get_contexts(call: Invocation) -> int | None:
    """Print the contexts as a table."""
    flags = call.flags
    if flags.text("output") not in ("", "name"):
        word = f"--output {flags.text('output')}"
        raise Failure(f"{word} is not available in kubectl config get-contexts; resetting to default output format")
    found = kubeconfig.load(call.context, flags)
    named = {item["name"]: item.get("context") or {} for item in found.get("contexts") or ()}
    wanted = [name for name in sorted(named) if not call.args or name in call.args]
    if flags.text("output") == "name":
        call.write("".join(f"{name}\n" for name in wanted))
    else:
        rows = [
            ["*" if name == found.get("current-context") else "", name, *(named[name].get(c, "") for c in COLUMNS)]
            for name in wanted
        ]
        headers = [] if flags.on("no-headers") else [["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"]]
        call.write(lay_out([*headers, *rows]))
    missing = [name for name in call.args if name not in named]
    if missing:
        raise Failures([Failure(f"context {name} not found") for name in missing])
    return 0


def _names(kind: str) -> Callable[[Invocation], int]:
    """A command that prints the names of `clusters` or `users`."""

    def run(call: Invocation) -> int:
        names = sorted(item["name"] for item in kubeconfig.load(call.context, call.flags).get(kind) or ())
        if not names:
            call.say(f"No {kind} found." if kind == "users" else "No cluster entries found in kubeconfig")
        call.write("".join(f"{line}\n" for line in ("NAME", *names)))
        return 0

    return run


def use_context(call: Invocation) -> int | None:
    """Change the current context."""
    if len(call.args) != 1:
        raise HelpFailure(f"Unexpected args: [{' '.join(call.args)}]")
    found = kubeconfig.load(call.context, call.flags)
    if kubeconfig.find_entry(found, "contexts", call.args[0]) is None:
        raise Failure(f"no context exists with the name: {go_quote(call.args[0])}")
    save(call, {**found, "current-context": call.args[0]})
    call.say(f"Switched to context {go_quote(call.args[0])}.")
    return 0


def set_context(call: Invocation) -> int | None:
    """Change or make a context."""
    flags = call.flags
    found = kubeconfig.load(call.context, flags)
    if len(call.args) > 1 or (call.args and flags.on("current")):
        raise HelpFailure(f"Unexpected args: [{' '.join(call.args)}]")
    name = str(found.get("current-context", "")) if flags.on("current") else "".join(call.args)
    if flags.on("current") and not name:
        raise Failure("no current context is set")
    if not name:
        raise Failure("you must specify a non-empty context name or --current")
    old = kubeconfig.find_entry(found, "contexts", name)
    inner: dict[str, Any] = dict((old or {}).get("context") or {"cluster": "", "user": ""})
    inner |= {field: flags.text(field) for field in COLUMNS if flags.given(field)}
    inner = {field: value for field, value in inner.items() if value or field != "namespace"}
    others = [item for item in found.get("contexts") or () if item["name"] != name]
    contexts = sorted([*others, {"context": inner, "name": name}], key=lambda item: str(item["name"]))
    save(call, {**found, "contexts": contexts})
    call.say(f"Context {go_quote(name)} {'modified' if old else 'created'}.")
    return 0


def delete_context(call: Invocation) -> int | None:
    """Remove a context."""
    if len(call.args) != 1:
        raise HelpFailure("")
    found, name = kubeconfig.load(call.context, call.flags), call.args[0]
    path = kubeconfig.find_path(call.context, call.flags)
    if kubeconfig.find_entry(found, "contexts", name) is None:
        raise Failure(f"cannot delete context {name}, not in {path}")
    if found.get("current-context") == name:
        call.warn(
            'warning: this removed your active context, use "kubectl config use-context" to select a different one'
        )
    save(call, {**found, "contexts": [item for item in found["contexts"] if item["name"] != name]})
    call.say(f"deleted context {name} from {path}")
    return 0


def rename_context(call: Invocation) -> int | None:
    """Give a context another name."""
    if len(call.args) != 2:
        raise HelpFailure(f"Unexpected args: [{' '.join(call.args)}]")
    found, (old, new) = kubeconfig.load(call.context, call.flags), call.args
    context = kubeconfig.find_entry(found, "contexts", old)
    if context is None:
        raise Failure(
            f"cannot rename the context {go_quote(old)}, it's not in {kubeconfig.find_path(call.context, call.flags)}"
        )
    if kubeconfig.find_entry(found, "contexts", new) is not None:
        path = kubeconfig.find_path(call.context, call.flags)
        raise Failure(
            f"cannot rename the context {go_quote(old)}, the context {go_quote(new)} already exists in {path}"
        )
    contexts = [{**item, "name": new} if item["name"] == old else item for item in found["contexts"]]
    current = new if found.get("current-context") == old else found.get("current-context")
    save(call, {**found, "contexts": contexts, "current-context": current})
    call.say(f"Context {go_quote(old)} renamed to {go_quote(new)}.")
    return 0


_FIELDS: Final = (
    Flag("cluster", help="cluster for the context entry in kubeconfig"),
    Flag("user", help="user for the context entry in kubeconfig"),
    Flag("namespace", help="namespace for the context entry in kubeconfig"),
    Flag("current", "bool", help="Modify the current context"),
)

verb = Verb(
    "config",
    verbs=(
        Verb("current-context", current_context, short="Display the current-context"),
        Verb("delete-context", delete_context, short="Delete the specified context from the kubeconfig"),
        Verb("get-clusters", _names("clusters"), short="Display clusters defined in the kubeconfig"),
        Verb(
            "get-contexts",
            get_contexts,
            flags=(
                Flag("no-headers", "bool", help="Don't print headers (default print headers)."),
                Flag("output", short="o", help="Output format. One of: (name)."),
            ),
            short="Describe one or many contexts",
        ),
        Verb("get-users", _names("users"), short="Display users defined in the kubeconfig"),
        Verb("rename-context", rename_context, short="Rename a context from the kubeconfig file"),
        Verb("set-context", set_context, flags=_FIELDS, short="Set a context entry in kubeconfig"),
        *VERBS,
        Verb("use-context", use_context, aliases=("use",), short="Set the current-context in a kubeconfig file"),
        Verb(
            "view",
            view,
            flags=(
                *FLAGS,
                Flag("flatten", "bool", help="Flatten the resulting kubeconfig file into self-contained output"),
                Flag("merge", "bool", default=True, help="Merge the full hierarchy of kubeconfig files"),
                Flag("minify", "bool", help="Remove all information not used by current-context from the output"),
                Flag("raw", "bool", help="Display raw byte data and sensitive data"),
            ),
            short="Display merged kubeconfig settings or a specified kubeconfig file",
        ),
    ),
    usage="config SUBCOMMAND",
    short="Modify kubeconfig files",
)
