"""`kubectl create secret`."""

from __future__ import annotations

import json
from base64 import b64encode

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import sources
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.verb import Invocation, Verb

HASH = Flag("append-hash", "bool", help="Append a hash of the secret to its name.")


def generic(call: Invocation) -> int | None:
    """Create a secret from literals and files."""
    name = name_of(call)
    return _make(call, name, sources.read_data(call, "Secret", name), call.flags.text("type"))


def tls(call: Invocation) -> int | None:
    """Create a secret from a certificate and its key."""
    name, data = name_of(call), {}
    for key, flag in (("tls.crt", "cert"), ("tls.key", "key")):
        path = call.flags.text(flag)
        if not path:
            raise Failure("key and cert must be specified")
        try:
            data[key] = call.context.files.read(path)
        except OSError:
            raise Failure(f"Cannot read file {path}, open {path}: no such file or directory") from None
    return _make(call, name, data, "kubernetes.io/tls")


def docker(call: Invocation) -> int | None:
    """Create a secret for an image registry."""
    name, flags = name_of(call), call.flags
    user, password = flags.text("docker-username"), flags.text("docker-password")
    if not flags.items("from-file") and not (user and password and flags.text("docker-server")):
        wanted = "--docker-username, --docker-password and --docker-server"
        raise Failure(f"either --from-file or the combination of {wanted} is required")
    if flags.items("from-file"):
        data = {}
        for source in flags.items("from-file"):
            key, equals, path = source.partition("=")
            data[key if equals else ".dockerconfigjson"] = sources.read(call, path if equals else key)
        return _make(call, name, data, "kubernetes.io/dockerconfigjson")
    entry = {"username": user, "password": password}
    if flags.text("docker-email"):
        entry["email"] = flags.text("docker-email")
    entry["auth"] = b64encode(f"{user}:{password}".encode()).decode()
    config = json.dumps({"auths": {flags.text("docker-server"): entry}}, separators=(",", ":"))
    return _make(call, name, {".dockerconfigjson": config}, "kubernetes.io/dockerconfigjson")


def _make(call: Invocation, name: str, data: dict[str, str], kind: str) -> int:
    encoded = {key: b64encode(value.encode()).decode() for key, value in data.items()}
    rest: dict[str, object] = {"data": encoded} if encoded else {}
    if kind:
        rest["type"] = kind
    if call.flags.on("append-hash"):
        name += sources.hash_data({"kind": "Secret", "type": kind, "name": name, "data": encoded})
    make(call, new_object("v1", "Secret", name, **rest), "secret")
    return 0


verb = Verb(
    "secret",
    verbs=(
        Verb(
            "generic",
            generic,
            flags=(*sources.FLAGS, Flag("type", help="The type of secret to create"), *FLAGS),
            usage="create secret generic NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1]",
            short="Create a secret from a local file, directory, or literal value",
        ),
        Verb(
            "tls",
            tls,
            flags=(
                Flag("cert", help="Path to PEM encoded public key certificate."),
                Flag("key", help="Path to private key"),
                HASH,
                *FLAGS,
            ),
            usage="create secret tls NAME --cert=path/to/cert/file --key=path/to/key/file",
            short="Create a TLS secret",
        ),
        Verb(
            "docker-registry",
            docker,
            flags=(
                Flag("docker-username", help="Username for Docker registry authentication"),
                Flag("docker-password", help="Password for Docker registry authentication"),
                Flag("docker-email", help="Email for Docker registry"),
                Flag(
                    "docker-server", default="https://index.docker.io/v1/", help="Server location for Docker registry"
                ),
                Flag("from-file", "list", help="Key files can be specified using their file path."),
                HASH,
                *FLAGS,
            ),
            usage="create secret docker-registry NAME --docker-username=user --docker-password=password",
            short="Create a secret for use with a Docker registry",
        ),
    ),
    usage="create secret (docker-registry | generic | tls)",
    short="Create a secret using a specified subcommand",
)
