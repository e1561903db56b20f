"""`kubectl auth`: what the caller may do, and who the caller is."""

from __future__ import annotations

from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import reconciling
from aiops_gym.kubectl.client import Client
from aiops_gym.kubectl.describe import role
from aiops_gym.kubectl.errors import Failure, ServerError
from aiops_gym.kubectl.output import FLAGS, choose_printer
from aiops_gym.kubectl.output.structs import Struct
from aiops_gym.kubectl.output.table import lay_out
from aiops_gym.kubectl.targets import EVERYWHERE, warn_of
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kube_api.resources import find
from aiops_gym.types import Json, Request

_WRITING: Final = ("create", "update", "patch", "delete", "deletecollection")
_SPECIAL: Final = ("use", "bind", "impersonate", "*", "approve", "sign", "escalate", "attest")
KNOWN: Final = frozenset(("get", "list", "watch", *_WRITING, *_SPECIAL))
URL_VERBS: Final = frozenset(("get", "put", "post", "head", "options", "delete", "patch", "*"))
TWO: Final = (
    "you must specify two arguments: verb resource or verb resource/resourceName.\n"
    "See 'kubectl auth can-i -h' for help and examples."
)


def can_i(call: Invocation) -> int | None:
    """`yes` or `no`; exit code 1 for no."""
    flags = call.flags
    if flags.on("list"):
        return _rules(call)
    if len(call.args) != 2:
        raise Failure(TWO)
    verb, what = call.args
    namespace = "" if flags.on("all-namespaces") else call.namespace
    spec = _url(call, verb, what) if what.startswith("/") else _resource(call, verb, what, namespace)
    if flags.text("subresource") and call.args[1].startswith("/"):
        raise Failure("--subresource can not be used with NonResourceURL")
    if flags.on("no-headers"):
        raise Failure("--no-headers cannot be set without --list specified")
    status = _review(call.client, "selfsubjectaccessreviews", "SelfSubjectAccessReview", spec)
    allowed = bool(status.get("allowed"))
    if not flags.on("quiet"):
        why = "".join(f" - {status[name]}" for name in ("reason", "evaluationError") if status.get(name))
        call.say("yes" if allowed else f"no{why}")
    return 0 if allowed else 1


def _url(call: Invocation, verb: str, path: str) -> Json:
    if verb not in URL_VERBS:
        call.warn(f"Warning: verb '{verb}' is not a known verb\n")
    return {"nonResourceAttributes": {"verb": verb, "path": path}}


def _resource(call: Invocation, verb: str, what: str, namespace: str) -> Json:
    word, _, name = what.partition("/")
    found = None if word == "*" else find(word.lower())
    warn_of(call, word)
    if found is None and word not in ("*", "users", "groups"):
        plural, _, group = word.lower().partition(".")
        where = f" in group '{group}'" if group else ""
        call.warn(f"Warning: the server doesn't have a resource type '{plural}'{where}\n")
    if found is not None and not found.namespaced and namespace:
        where = f" in group '{found.group}'" if found.group else ""
        call.warn(f"Warning: resource '{found.plural}' is not namespace scoped{where}\n")
    if verb not in KNOWN:
        call.warn(f"Warning: verb '{verb}' is not a known verb\n")
    attributes = {
        "namespace": namespace,
        "verb": verb,
        "group": found.group if found else "",
        "resource": found.plural if found else word,
        "subresource": call.flags.text("subresource"),
        "name": name,
    }
    return {"resourceAttributes": {key: value for key, value in attributes.items() if value}}


def _rules(call: Invocation) -> int:
    """`--list`: a table of all that is allowed."""
    if call.args:
        raise Failure("list option must be specified with no arguments")
    flags = call.flags
    if flags.on("quiet") or flags.on("all-namespaces") or flags.text("subresource"):
        raise Failure("list option can't be specified with neither quiet, all-namespaces nor subresource options")
    spec = {"namespace": call.namespace}
    status = _review(call.client, "selfsubjectrulesreviews", "SelfSubjectRulesReview", spec)
    rows = [] if flags.on("no-headers") else [["Resources", "Non-Resource URLs", "Resource Names", "Verbs"]]
    rows += role.list_rows([*(status.get("resourceRules") or ()), *(status.get("nonResourceRules") or ())])
    call.write(lay_out(rows))
    return 0


def _list(words: list[str] | None) -> str:
    return "[" + " ".join(words or ()) + "]"


def _review(client: Client, plural: str, kind: str, spec: Json) -> Json:
    """The status that the server gives a review."""
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": kind, "metadata": {}, "spec": spec}
    answer = client.send(Request("create", f"{plural}.authorization.k8s.io", body=body))
    return answer.get("status") or {}


def whoami(call: Invocation) -> int | None:
    """Name and groups of the caller."""
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview", "metadata": {}}
    try:
        review = call.client.send(Request("create", "selfsubjectreviews.authentication.k8s.io", body=body))
    except ServerError as error:
        if error.reason == "NotFound":
            raise Failure("the selfsubjectreviews API is not enabled in the cluster") from None
        raise
    shown = choose_printer(call) if call.flags.text("output") else None
    if shown is not None:
        call.write(shown.one(Struct({**review, "metadata": {"creationTimestamp": None}})))
        return 0
    info = (review.get("status") or {}).get("userInfo") or {}
    rows = [["ATTRIBUTE", "VALUE"], ["Username", info.get("username", "")]]
    rows += [["UID", info["uid"]]] if info.get("uid") else []
    rows += [["Groups", _list(info.get("groups"))]] if info.get("groups") else []
    extra = info.get("extra") or {}
    rows += [[f"Extra: {name}", _list(extra[name])] for name in sorted(extra)]
    call.write(lay_out(rows))
    return 0


verb = Verb(
    "auth",
    verbs=(
        Verb(
            "can-i",
            can_i,
            flags=(
                EVERYWHERE,
                Flag("list", "bool", help="If true, prints all allowed actions."),
                Flag("no-headers", "bool", help="If true, prints allowed actions without headers"),
                Flag("quiet", "bool", short="q", help="If true, suppress output and just return the exit code."),
                Flag("subresource", help="SubResource such as pod/log or deployment/scale"),
            ),
            usage="auth can-i VERB [TYPE | TYPE/NAME | NONRESOURCEURL]",
            short="Check whether an action is allowed",
        ),
        reconciling.VERB,
        Verb(
            "whoami",
            whoami,
            flags=FLAGS,
            usage="auth whoami",
            short="Experimental: Check self subject attributes",
        ),
    ),
    usage="auth [flags]",
    short="Inspect authorization",
)
