"""`kubectl cp`: a file or a folder between the shell and a container."""

from __future__ import annotations

from collections.abc import Callable

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import pods
from aiops_gym.kubectl.errors import Failure, KubectlError, ServerError
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.types import Output, Request

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


def _runner(call: Invocation, namespace: str, name: str) -> Callable[..., Output]:
    """What runs a command in the container, with an input. Raises KubectlError."""
    pod = call.client.send(Request("get", "pods", namespace, name))
    container = call.flags.text("container") or pods.choose_container(call, pod)

    def run_inside(command: list[str], stdin: str = "") -> Output:
        try:
            return call.client.exec(namespace, name, container, command, stdin)
        except ServerError as error:
            raise (Failure(error.message) if error.reason == "InternalError" else error) from None

    return run_inside


def _download(call: Invocation, source: tuple[str, str, str], target: str) -> int:
    namespace, pod, path = source
    run_inside, files = _runner(call, namespace, pod), call.context.files
    found = run_inside(["cat", path])
    below = {"": found.stdout}
    if found.code:
        listed = run_inside(["find", path, "-type", "f"])
        if listed.code:
            call.say(f"tar: {path.lstrip('/')}: Cannot stat: No such file or directory")
            call.say("tar: Exiting with failure status due to previous errors")
            raise KubectlError("command terminated with exit code 2", 2)
        names = listed.stdout.splitlines()
        below = {n[len(path) :]: run_inside(["cat", n]).stdout for n in names}
    if "" in below and _inside(call, target) is not None:
        raise Failure(f"open {target}: is a directory")
    for name, text in below.items():
        files.write(f"{target.rstrip('/')}/{name.lstrip('/')}" if name else target, text)
    return 0


def _inside(call: Invocation, path: str) -> dict[str, str] | None:
    """The texts of a folder's files, those of the folders in it included; None where it is no folder."""
    files, found = call.context.files, dict[str, str]()
    try:
        files.read(path)
    except IsADirectoryError:
        for name in files.list(path):
            inner = f"{path.rstrip('/')}/{name}"
            below = _inside(call, inner)
            texts = {"": files.read(inner)} if below is None else below
            found |= {f"{name}/{rest}" if rest else name: text for rest, text in texts.items()}
        return found
    except OSError:
        return None
    return None


def _upload(call: Invocation, source: str, target: tuple[str, str, str]) -> int:
    namespace, pod, path = target
    if not call.context.files.exists(source):
        raise Failure(f"{source} doesn't exist in local filesystem")
    run_inside = _runner(call, namespace, pod)
    if run_inside(["test", "-d", path]).code == 0:
        path = f"{path.rstrip('/')}/{source.rstrip('/').rpartition('/')[2]}"
    folder = _inside(call, source)
    texts = {path: call.context.files.read(source)} if folder is None else {f"{path}/{n}": t for n, t in folder.items()}
    for place, text in texts.items():
        above = ["sh", "-c", 'mkdir -p "${0%/*}" && cat > "$0"', place]
        done = run_inside(above, text)
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
