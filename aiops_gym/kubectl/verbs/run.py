"""`kubectl run`."""

from __future__ import annotations

from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import output
from aiops_gym.kubectl.changes import read_dry_run
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.creation import DERIVING, make, overridden, parse_integer, strip_empty
from aiops_gym.kubectl.errors import Failure, KubectlError, ServerError, UsageFailure
from aiops_gym.kubectl.targets import FILES
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.kubectl.verbs.delete import check_cascade
from aiops_gym.kubectl.waiting import wait_until
from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Json, Request

NO_TTY: Final = "Unable to use a TTY - input is not a terminal or the right kind of file"
POLICIES: Final = ("Always", "OnFailure", "Never")
PULLS: Final = ("Always", "IfNotPresent", "Never")
ENDED: Final = ("Succeeded", "Failed")


def run(call: Invocation) -> int | None:
    """Create a pod, and with -i or --attach follow it to its end."""
    flags = call.flags
    output.choose_printer(call)
    check_cascade(call)
    attached = flags.on("attach") if flags.given("attach") else flags.on("stdin") or flags.on("tty")
    name = _validate(call, attached)
    pod = _pod(call, name)
    quiet = attached and flags.on("rm") and flags.on("quiet")
    call.client.touch()
    if not attached:
        _make(call, pod)
        return None
    call.client.create(find_resource("pods"), strip_empty(pod), fieldManager="kubectl-run", fieldValidation="Strict")
    try:
        code = _follow(call, name)
    finally:
        if flags.on("rm"):
            _remove(call, name, quiet=quiet)
    return code


def _make(call: Invocation, pod: Json) -> None:
    """Create the pod, and its service with --expose."""
    before = len(call.pieces)
    made = make(call, pod, manager="kubectl-run")
    said = call.pieces[before:]
    del call.pieces[before:]
    if call.flags.on("expose"):
        name, port = made["metadata"]["name"], parse_integer(call.flags.text("port"))
        ports = [{"port": port, "protocol": "TCP", "targetPort": port}]
        metadata = {"creationTimestamp": None, "name": name}
        spec = {"ports": ports, "selector": pod["metadata"]["labels"]}
        service = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
        make(call, {**service, "status": {"loadBalancer": {}}}, manager="kubectl-run")
    call.pieces += said


def _validate(call: Invocation, attached: bool) -> str:
    """The pod's name. Raises UsageFailure."""
    flags = call.flags
    if flags.dash == 0 or not call.args:
        raise UsageFailure("NAME is required for run")
    if flags.seconds("pod-running-timeout") <= 0:
        raise UsageFailure("--pod-running-timeout must be higher than zero")
    if not flags.text("image"):
        raise Failure("--image is required")
    image = flags.text("image")
    if image != image.strip() or "//" in image or " " in image:
        raise Failure(f'Invalid image name "{image}": invalid reference format')
    if flags.on("tty") and not flags.on("stdin"):
        raise Failure("-i/--stdin is required for containers with -t/--tty=true")
    if flags.on("expose") and not flags.text("port"):
        raise UsageFailure("--port must be set when exposing a service")
    mode = read_dry_run(call)
    if attached and mode != "none":
        options = "(--attach, --stdin, or --tty)"
        raise UsageFailure(f"--dry-run=[server|client] can't be used with attached containers options {options}")
    if flags.on("rm") and not attached:
        raise UsageFailure("--rm should only be used for attached containers")
    restart = flags.text("restart") or "Always"
    if restart not in POLICIES:
        raise UsageFailure(f"invalid restart policy: {restart}")
    pull = flags.text("image-pull-policy")
    if pull and pull not in PULLS:
        raise UsageFailure(f"invalid image pull policy: {pull}")
    return call.args[0]


def _pod(call: Invocation, name: str) -> Json:
    flags, words = call.flags, call.args[1:]
    container: dict[str, Json] = {"image": flags.text("image"), "name": name, "resources": {}}
    if words:
        container["command" if flags.on("command") else "args"] = words
    if flags.items("env"):
        container["env"] = [_variable(text) for text in flags.items("env")]
    if flags.text("port"):
        container["ports"] = [{"containerPort": parse_integer(flags.text("port"))}]
    if flags.text("image-pull-policy"):
        container["imagePullPolicy"] = flags.text("image-pull-policy")
    if flags.on("stdin"):
        container |= {"stdin": True, "stdinOnce": not flags.on("leave-stdin-open")}
    if flags.on("tty"):
        container["tty"] = True
    if flags.on("privileged"):
        container["securityContext"] = {"privileged": True}
    pairs = [pair for pair in flags.text("labels").split(",") if pair]
    if wrong := [pair for pair in pairs if "=" not in pair]:
        raise Failure(f"unexpected label spec: {wrong[0]}")
    labels = dict(pair.split("=", 1) for pair in pairs) or {"run": name}
    metadata: dict[str, Json] = {"creationTimestamp": None, "labels": labels, "name": name}
    if notes := [pair for pair in flags.items("annotations") if pair]:
        for pair in notes:
            if "=" not in pair:
                raise Failure(f"invalid annotations format: {pair}")
        metadata["annotations"] = dict(pair.split("=", 1) for pair in notes)
    spec = {"containers": [container], "dnsPolicy": "ClusterFirst", "restartPolicy": flags.text("restart") or "Always"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {}}
    return overridden(call, pod)


def _variable(text: str) -> Json:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise Failure(f"invalid env: {text}")
    return {"name": name, "value": value}


def _follow(call: Invocation, name: str) -> int | None:
    """Wait until the pod runs, print what it prints, and give its exit code."""
    flags, cluster, restart = call.flags, call.client.cluster, call.flags.text("restart") or "Always"
    if flags.on("tty"):
        call.warn(NO_TTY)

    def phase() -> str:
        answer = cluster.handle(Request("get", "pods", call.namespace, name))
        if answer.code >= 400:
            raise ServerError(answer.body)
        return str(get(answer.body, "status", "phase", default=""))

    end = wait_until(cluster, lambda: phase() in ("Running", *ENDED), flags.seconds("pod-running-timeout"))
    if end == "timeout":
        raise Failure("timed out waiting for the condition")
    if end == "stopped":
        return None
    if flags.on("stdin") and phase() == "Running" and not flags.on("quiet"):
        call.warn("If you don't see a command prompt, try pressing enter.")
    end = wait_until(cluster, lambda: phase() in ENDED, 0)
    _print_log(call, name)
    if end == "stopped" or restart == "Always":
        return None
    return _exit_code(call, name)


def _print_log(call: Invocation, name: str) -> None:
    try:
        call.write(call.client.log(call.namespace, name, {"container": name}))
    except ServerError as error:
        call.warn(f"warning: couldn't attach to pod/{name}, falling back to streaming logs: {error.message}")


def _exit_code(call: Invocation, name: str) -> int:
    pod = call.client.get(find_resource("pods"), name)
    if get(pod, "status", "phase") == "Succeeded":
        return 0
    ended = get(pod, "status", "containerStatuses", 0, "state", "terminated", default={})
    code = int(ended.get("exitCode", 0))
    if code == 0:
        raise Failure(f"pod {call.namespace}/{name} failed with unknown exit code")
    call.warn(
        f"pod {call.namespace}/{name} terminated ({ended.get('reason', '')})\n{ended.get('message', '')}".rstrip()
    )
    return code


def _remove(call: Invocation, name: str, *, quiet: bool) -> None:
    """Delete the pod, as --rm asks for; one that is gone already is no error."""
    try:
        call.client.delete(find_resource("pods"), name, options={"propagationPolicy": "Background"})
    except KubectlError:
        return
    if not quiet:
        call.say(f'pod "{name}" deleted')
    gone = Request("get", "pods", call.namespace, name)
    wait_until(call.client.cluster, lambda: call.client.cluster.handle(gone).code >= 400, 0)


verb = Verb(
    "run",
    run,
    flags=(
        Flag("image", help="The image for the container to run."),
        Flag("image-pull-policy", help="The image pull policy for the container."),
        Flag("port", help="The port that this container exposes."),
        Flag("env", "array", help="Environment variables to set in the container."),
        Flag("labels", short="l", help="Comma separated labels to apply to the pod."),
        Flag("annotations", "array", help="Annotations to apply to the pod."),
        Flag(
            "restart",
            default="Always",
            help="The restart policy for this Pod.  Legal values [Always, OnFailure, Never].",
        ),
        *FILES,
        Flag("rm", "bool", help="If true, delete the pod after it exits.  Only valid when attaching to the container."),
        Flag(
            "stdin", "bool", short="i", help="Keep stdin open on the container in the pod, even if nothing is attached."
        ),
        Flag("tty", "bool", short="t", help="Allocate a TTY for the container in the pod."),
        Flag("attach", "bool", help="If true, wait for the Pod to start running, and then attach to the Pod."),
        Flag("leave-stdin-open", "bool", help="If true, stdin will be left open after the first attach completes."),
        Flag("command", "bool", help="If true, use extra arguments as the 'command' field in the container."),
        Flag("expose", "bool", help="If true, create a ClusterIP service associated with the pod."),
        Flag("quiet", "bool", short="q", help="If true, suppress prompt messages."),
        Flag("privileged", "bool", help="If true, run the container in privileged mode."),
        Flag("overrides", help="An inline JSON override for the generated object."),
        Flag("override-type", default="merge", help="The method used to override the generated object."),
        Flag("pod-running-timeout", "duration", default=60.0, help="How long to wait until a pod is running."),
        Flag("grace-period", "int", default=-1, help="Period of time in seconds given to the resource to terminate."),
        Flag("force", "bool", help="If true, immediately remove resources from API and bypass graceful deletion."),
        Flag("wait", "bool", help="If true, wait for resources to be gone before returning."),
        Flag("timeout", "duration", help="The length of time to wait before giving up on a delete."),
        Flag("cascade", default="background", bare="background", help="The deletion cascading strategy."),
        Flag("recursive", "bool", short="R", help="Process the directory used in -f, --filename recursively."),
        *DERIVING,
    ),
    required=("image",),
    usage='run NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--command] -- [COMMAND]',
    short="Run a particular image on the cluster",
)
