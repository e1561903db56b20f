"""The data of a config map or secret, from literals and files on the command line."""

from __future__ import annotations

from hashlib import sha256

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.output import as_json
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kube_api import names
from aiops_gym.types import Json

FLAGS = (
    Flag("from-literal", "array", help="Specify a key and literal value to insert (i.e. mykey=somevalue)"),
    Flag("from-file", "list", help="Key files can be specified using their file path."),
    Flag("from-env-file", "list", help="Specify the path to a file to read lines of key=val pairs."),
    Flag("append-hash", "bool", help="Append a hash of the object to its name."),
)


def read_data(call: Invocation, kind: str, name: str) -> dict[str, str]:
    """Keys and values. Raises Failure."""
    flags, found = call.flags, {}
    if flags.items("from-env-file") and (flags.items("from-file") or flags.items("from-literal")):
        raise Failure("from-env-file cannot be combined with from-file or from-literal")

    def put(key: str, value: str) -> None:
        if wrong := names.validate_config_key(key):
            valid = f"a valid key name for a {kind}:" if kind == "ConfigMap" else f"valid key name for a {kind}"
            raise Failure(f"{go_quote(key)} is not {valid} {','.join(wrong)}")
        if key in found:
            raise Failure(
                f'cannot add key "{key}", another key by that name already exists in Data for {kind} "{name}"'
            )
        found[key] = value

    for text in flags.items("from-file"):
        key, equals, path = text.partition("=")
        if equals and (not key or not path or "=" in path):
            raise Failure(
                "key names or file paths cannot contain '='"
                if key and path
                else f"key name for file path {path} missing"
            )
        if equals:
            put(key, read(call, path))
        else:
            for file_name, content in _files(call, text):
                put(file_name, content)
    for text in flags.items("from-literal"):
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise Failure(f"invalid literal source {text}, expected key=value")
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        put(key, value)
    for path in flags.items("from-env-file"):
        for line in read(call, path).splitlines():
            key, equals, value = line.strip().partition("=")
            if key and not key.startswith("#"):
                put(key, value if equals else call.context.env.get(key, ""))
    return found


def read(call: Invocation, path: str) -> str:
    """Text of a file. Raises Failure."""
    try:
        return call.context.files.read(path)
    except IsADirectoryError:
        raise Failure("cannot give a key name for a directory path") from None
    except OSError:
        raise Failure(f"error reading {path}: no such file or directory") from None


def _files(call: Invocation, path: str) -> list[tuple[str, str]]:
    """A file under its own name, or all files of a folder."""
    try:
        return [(path.rsplit("/", 1)[-1], call.context.files.read(path))]
    except IsADirectoryError:
        names = call.context.files.list(path)
    except OSError:
        raise Failure(f"error reading {path}: no such file or directory") from None
    found = []
    for name in names:
        try:
            found.append((name, call.context.files.read(f"{path.rstrip('/')}/{name}")))
        except IsADirectoryError:
            continue
    return found


def hash_data(content: dict[str, Json]) -> str:
    """What `--append-hash` puts behind a name: a hash of kind, name and data, without letters that make words."""
    found = sha256(as_json.format_compact(content).encode()).hexdigest()[:10]
    return "-" + found.translate(str.maketrans("013ae", "ghkmt"))
