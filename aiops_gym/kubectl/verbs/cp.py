"""`kubectl cp`: one file between the shell and a container."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import pods
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.verb import Invocation, Verb

ONE = "one of src or dest must be a remote file specification"


def run(call: Invocation) -> int | None:
    """Copy a file; a container is written `[namespace/]pod:path`."""
    if len(call.args) != 2:
        raise Failure("source and destination are required")
    source, target = (_place(call, word) for word in call.args)
    if (source is None) == (target is None):
        raise Failure("one of src or dest must be a local file specification" if source else ONE)
    if source is not None:
        return _download(call, source, call.args[1])
    return _upload(call, call.args[0], target or ("", "", ""))


def _place(call: Invocation, word: str) -> tuple[str, str, str] | None:
    """(namespace, pod, path) of a place in a container, None for a file of the shell."""
    name, colon, path = word.partition(":")
    if not colon or name.startswith((".", "/")):
        return None
    namespace, slash, pod = name.partition("/")
    return (namespace, pod, path) if slash else (call.namespace, name, path)


def _container(call: Invocation, namespace: str, name: str) -> str:
    pod = call.client.get(find_resource("pods"), name, namespace)
    return call.flags.text("container") or pods.choose_container(call, pod)


def _download(call: Invocation, source: tuple[str, str, str], target: str) -> int:
    namespace, pod, path = source
    found = call.client.exec(namespace, pod, _container(call, namespace, pod), ["cat", path])
    if found.code:
        call.warn(f"tar: {path.lstrip('/')}: Cannot stat: No such file or directory")
        raise Failure(f"{path.lstrip('/')} no such file or directory")
    if path.startswith("/"):
        call.warn("tar: Removing leading `/' from member names")
    call.context.files.write(target, found.stdout)
    return 0


def _upload(call: Invocation, source: str, target: tuple[str, str, str]) -> int:
    namespace, pod, path = target
    try:
        text = call.context.files.read(source)
    except OSError:
        raise Failure(f"{source} doesn't exist in local filesystem") from None
    container = _container(call, namespace, pod)
    done = call.client.exec(namespace, pod, container, ["sh", "-c", 'cat > "$0"', path], text)
    call.complain(done.stderr)
    if done.code:
        raise Failure(f"command terminated with exit code {done.code}")
    return 0


verb = Verb(
    "cp",
    run,
    flags=(
        Flag("container", short="c", help="Container name."),
        Flag("no-preserve", "bool", help="The copied file's ownership and permissions will not be preserved"),
        Flag("retries", "int", help="Set number of retries to complete a copy operation from a container."),
    ),
    usage="cp <file-spec-src> <file-spec-dest>",
    short="Copy files and directories to and from containers",
)
