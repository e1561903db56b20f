"""`kubectl create job` and `kubectl create cronjob`'s shared parts."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Json


def command(call: Invocation) -> list[str]:
    """The words after `--`."""
    return call.args[call.flags.dash :] if call.flags.dash >= 0 else []


def run(call: Invocation) -> int | None:
    """Create a job, from an image or from a cron job."""
    name, origin = name_of(call), call.flags.text("from")
    if bool(call.flags.text("image")) == bool(origin):
        raise Failure("either --image or --from must be specified")
    if origin and command(call):
        raise Failure("cannot specify --from and command")
    obj = (
        _from(call, name, origin)
        if origin
        else new_object("batch/v1", "Job", name, spec=make_job_spec(call, name), status={})
    )
    make(call, obj, "job")
    return None


def make_job_spec(call: Invocation, name: str, restart: str = "Never") -> Json:
    """A job that runs the image of the command line once."""
    words = command(call)
    container: dict[str, Json] = {"image": call.flags.text("image"), "name": name, "resources": {}}
    if words:
        container["command"] = words
    pod = {"containers": [container], "restartPolicy": restart}
    return {"template": {"metadata": {"creationTimestamp": None}, "spec": pod}}


def _from(call: Invocation, name: str, origin: str) -> Json:
    word, _, cron_name = origin.partition("/")
    resource = find_resource(word)
    if resource.kind != "CronJob" or not cron_name:
        raise Failure("from must be an existing cronjob")
    cron = call.client.get(resource, cron_name)
    template = get(cron, "spec", "jobTemplate", default={})
    annotations = {"cronjob.kubernetes.io/instantiate": "manual", **(get(template, "metadata", "annotations") or {})}
    owner = {
        "apiVersion": "batch/v1",
        "controller": True,
        "kind": "CronJob",
        "name": cron_name,
        "uid": cron["metadata"].get("uid", ""),
    }
    metadata: dict[str, Json] = {"annotations": annotations, "ownerReferences": [owner]}
    if labels := get(template, "metadata", "labels"):
        metadata["labels"] = labels
    return new_object("batch/v1", "Job", name, metadata=metadata, spec=template.get("spec") or {}, status={})


verb = Verb(
    "job",
    run,
    flags=(
        Flag("image", help="Image name to run."),
        Flag("from", help="The name of the resource to create a Job from (only cronjob is supported)."),
        *FLAGS,
    ),
    usage="create job NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]",
    short="Create a job with the specified name",
)
