"""`kubectl certificate`: approve or deny requests for certificates."""

from __future__ import annotations

from collections.abc import Callable

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import help, output
from aiops_gym.kubectl.changes import report
from aiops_gym.kubectl.errors import Failure, Failures
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import FILES, select
from aiops_gym.kubectl.verb import Invocation, Verb

KIND = "CertificateSigningRequest.certificates.k8s.io"


def _decide(condition: str, done: str) -> Callable[[Invocation], None]:
    """A command that writes a condition into requests."""

    def run(call: Invocation) -> None:
        output.choose_printer(call)
        flags = call.flags
        if not call.args and not flags.items("filename") and not flags.text("kustomize"):
            raise Failure("one or more CSRs must be specified as <name> or -f <filename>")
        words = [name if "/" in name else f"certificatesigningrequests/{name}" for name in call.args]
        found = select(call, words, latest=True)
        errors = found.each(lambda info: _write(call, info, condition, done))
        if errors:
            raise Failures(errors)

    return run


def _write(call: Invocation, info: Info, condition: str, done: str) -> None:
    if info.resource.group_kind != KIND:
        raise Failure(f"can only handle {KIND} objects, got {info.resource.group_kind}")
    present = (info.obj.get("status") or {}).get("conditions") or []
    entry = {
        "type": condition,
        "status": "True",
        "reason": f"Kubectl{condition.removesuffix('d')}",
        "message": f"This CSR was {done} by kubectl certificate {'approve' if done == 'approved' else 'deny'}.",
    }
    status = {**(info.obj.get("status") or {}), "conditions": [*present, entry]}
    report(call, info.resource, call.client.update(info.resource, {**info.obj, "status": status}), done)


def _verb(name: str, condition: str, done: str) -> Verb:
    return Verb(
        name,
        _decide(condition, done),
        flags=(
            Flag("force", "bool", help="Update the CSR even if it is already approved."),
            *FILES,
            *output.FLAGS,
        ),
        usage=f"certificate {name} (-f FILENAME | NAME)",
        short=f"{name.capitalize()} a certificate signing request",
    )


def run(call: Invocation) -> None:
    """Print the help."""
    call.write(help.of_verb(verb, call.path))


verb = Verb(
    "certificate",
    run,
    verbs=(_verb("approve", "Approved", "approved"), _verb("deny", "Denied", "denied")),
    usage="certificate SUBCOMMAND",
    short="Modify certificate resources",
)
