"""`kubectl create cronjob`."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.creating.job import make_job_spec
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Create a cron job."""
    name = name_of(call)
    job = {"metadata": {"creationTimestamp": None, "name": name}}
    job["spec"] = make_job_spec(call, name, call.flags.text("restart") or "OnFailure")
    spec = {"jobTemplate": job, "schedule": call.flags.text("schedule")}
    make(call, new_object("batch/v1", "CronJob", name, spec=spec, status={}), "cronjob")
    return None


verb = Verb(
    "cronjob",
    run,
    flags=(
        Flag("image", help="Image name to run."),
        Flag("schedule", help="A schedule in the Cron format the job should be run with."),
        Flag("restart", help="job's restart policy. supported values: OnFailure, Never"),
        *FLAGS,
    ),
    aliases=("cj",),
    required=("image", "schedule"),
    usage="create cronjob NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...]",
    short="Create a cron job with the specified name",
)
