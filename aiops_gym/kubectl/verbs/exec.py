"""`kubectl exec`"""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.clients.waiting import finish
from aiops_gym.kubectl import pods, targets
from aiops_gym.kubectl.errors import Failure, ServerError, UsageFailure
from aiops_gym.kubectl.targets import select
from aiops_gym.kubectl.verb import Invocation, Verb

DONE = ("Succeeded", "Failed")


def run(call: Invocation) -> int | None:
    """Run a command in a container and pass on what it printed and its exit code."""
    flags = call.flags
    name, command = _split(call)
    if flags.seconds("pod-running-timeout") <= 0:
        raise UsageFailure("--pod-running-timeout must be higher than zero")
    if not name and not flags.items("filename"):
        raise Failure("pod, type/name or --filename must be specified")
    if not command:
        raise Failure("you must specify at least one command for the container")
    if name and not flags.items("filename"):
        words = [name] if "/" in name else ["pods", name]
        info = select(call, words, one_type=True).infos()[0]
    else:
        words = [name if "/" in name else f"pods/{name}"] if name else []
        found = select(call, words, latest=True, keep_going=False).infos()
        if not found:
            raise Failure("no pod, type/name or --filename was found")
        info = found[0]
    pod, _ = pods.first_pod(call, info, flags.seconds("pod-running-timeout"))
    phase = (pod.get("status") or {}).get("phase", "")
    if phase in DONE:
        raise Failure(f"cannot exec into a container in a completed pod; current phase is {phase}")
    container = flags.text("container")
    if container:
        if all(known != container for known, _ in pods.list_containers(pod)):
            message = f"container {container} is not valid for pod {pod['metadata']['name']}"
            raise ServerError({"reason": "BadRequest", "message": message, "code": 400})
    else:
        container = pods.choose_container(call, pod, quiet=flags.on("quiet"))
    if flags.on("tty") and flags.on("stdin") and not flags.on("quiet"):
        call.warn("Unable to use a TTY - input is not a terminal or the right kind of file")
    return _execute(call, pod["metadata"]["namespace"], pod["metadata"]["name"], container, command)


def _split(call: Invocation) -> tuple[str, list[str]]:
    """The name and the command, which stands after `--`."""
    args, dash = call.args, call.flags.dash
    if dash < 0:
        if len(args) > 1 or (args and call.flags.items("filename")):
            raise UsageFailure("exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead")
        return "".join(args), []
    return (args[0] if args and dash > 0 else ""), args[dash:]


def _execute(call: Invocation, namespace: str, pod: str, container: str, command: list[str]) -> int:
    stdin = call.context.stdin if call.flags.on("stdin") else ""
    try:
        output = call.client.exec(namespace, pod, container, command, stdin)
    except ServerError as error:
        if error.reason == "InternalError" or error.message.startswith("unable to upgrade connection"):
            raise Failure(error.message) from None
        raise
    ended = finish(call.context, output)
    call.write(ended.stdout)
    call.complain(ended.stderr)
    if ended.code and ended is output:
        call.warn(f"command terminated with exit code {ended.code}")
    return ended.code


verb = Verb(
    "exec",
    run,
    flags=(
        Flag("container", short="c", help="Container name."),
        *targets.FILES[:1],
        Flag("pod-running-timeout", "duration", default=60.0, help="How long to wait until a pod is running"),
        Flag("quiet", "bool", short="q", help="Only print output from the remote session"),
        Flag("stdin", "bool", short="i", help="Pass stdin to the container"),
        Flag("tty", "bool", short="t", help="Stdin is a TTY"),
    ),
    usage="exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
    short="Execute a command in a container",
)
