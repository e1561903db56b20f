"""`kubectl annotate`."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.kubectl.changes import prepare
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.pairs import Edit, edit, split
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.kubectl.verbs.label import FLAGS, validate

CHANGE_CAUSE = "kubernetes.io/change-cause"


def run(call: Invocation) -> int | None:
    """Put annotations on objects, or take them off."""
    shown = prepare(call)
    resources, words = split(call.args, "annotation")
    put = dict(word.split("=", 1) for word in words if "=" in word and word[0] != "=")
    drop = [word[:-1] for word in words if "=" not in word or word[0] == "="]
    validate(call, resources, "rsrc", bool(words))
    both = [key for key in drop if key in put]
    if both:
        names = ", ".join(both)
        raise Failure(f"can not both modify and remove the following annotation(s) in the same command: {names}")

    def check(present: Mapping[str, str]) -> None:
        kept = [
            f"'{key}' already has a value ({present[key]})"
            for key, value in sorted(put.items())
            if present.get(key, value) != value and key != CHANGE_CAUSE
        ]
        if kept:
            raise Failure(f"--overwrite is false but found the following declared annotation(s): {'; '.join(kept)}")

    version = call.flags.text("resource-version")
    change = Edit("annotations", put, drop, check, lambda old, new: "annotated", version)
    edit(call, resources, change, "kubectl-annotate", shown)
    return None


verb = Verb(
    "annotate",
    run,
    flags=FLAGS,
    usage="annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    short="Update the annotations on a resource",
)
