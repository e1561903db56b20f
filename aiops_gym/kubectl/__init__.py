"""kubectl 1.32, in process: the client side of Kubernetes, byte for byte.

A verb is one file in `verbs/`, found by scanning the folder; the file name is the verb's with `_` for `-`. It has one
attribute `verb`:

    verb = Verb(
        "scale",
        run,
        flags=(Flag("replicas", "int"), *SELECTION, *PRINTING),
        required=("replicas",),
        usage="scale --replicas=COUNT (-f FILENAME | TYPE NAME)",
        short="Set a new size for a deployment, replica set, or replication controller",
    )

    def run(call: Invocation) -> int | None:
        for info in select(call, call.args).infos():        # targets.py: names, -l, -A, -f
            call.client.patch(info.resource, info.name, {...})    # client.py: requests; a refusal is raised
            call.say(f"{kind_group(info.resource)}/{info.name} scaled")

What goes wrong is raised (`Failure`, `UsageFailure`, `ServerError`, `Failures` of errors.py) and printed by the
dispatcher; what was printed before stays. Time passes with `call.client.cluster.wait(seconds)`: when it answers False,
return at once. A verb with subcommands gives them as `verbs=(Verb("status", ...), ...)`. Printers of `-o` are in
`output/`: a verb with the flags `output.FLAGS` has `Printer.of(call)`, the same one for all objects of the call.
"""

from __future__ import annotations

from aiops_gym.kubectl.dispatch import run

__all__ = ["run"]
